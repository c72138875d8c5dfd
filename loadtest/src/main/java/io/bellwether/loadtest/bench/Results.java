package io.bellwether.loadtest.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;

/** Where results are written, and how. */
public final class Results {
    private Results() {}

    /**
     * The files' common path without its ending: {@code <kind>-<date>-<commit>}, under a number more when that is taken.
     *
     * @param measuredAt an instant, as ISO 8601 has it
     */
    public static Path base(Path folder, String kind, String measuredAt, String commit) throws IOException {
        Files.createDirectories(folder);
        String name = kind + "-" + measuredAt.substring(0, 10) + "-" + commit;
        Path base = folder.resolve(name);
        for (int n = 2; Files.exists(with(base, ".json")); n++) {
            base = folder.resolve(name + "-" + n);
        }
        return base;
    }

    /** One of those files. */
    public static Path with(Path base, String ending) {
        return base.resolveSibling(base.getFileName() + ending);
    }

    /** Writes all that came out, for machines. */
    public static void writeJson(Path base, Object results) throws IOException {
        Files.write(with(base, ".json"),
                new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsBytes(results));
    }

    /** Settings in a line. */
    public static String words(Map<String, String> settings) {
        return String.join(", ", settings.entrySet().stream().map(e -> e.getKey() + " " + e.getValue()).toList());
    }
}
