package io.bellwether.loadtest.bulk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Makes feeds with {@code bellwether feed generate}. Thread-safe. */
final class Feeds {
    private final Options options;
    private final Path folder;
    private final Cleanup cleanup;

    /** Feeds in a folder, made if need be. */
    Feeds(Options options, Path folder, Cleanup cleanup) throws IOException {
        this.options = options;
        this.folder = Files.createDirectories(folder);
        this.cleanup = cleanup;
    }

    /**
     * Makes a feed.
     *
     * @param seed another one gives other policies
     * @param change the share that changed since the feed was drawn; what changed at a smaller share has changed alike
     */
    Path generate(long policies, long seed, double change) throws IOException, InterruptedException {
        Path file = folder.resolve("feed-" + policies + "-" + seed + "-" + change + ".ndjson");
        List<String> command = new ArrayList<>(
                List.of(options.distribution().resolve("bin/bellwether").toString(), "feed",
                        "generate", "--policies", Long.toString(policies), "--seed", Long.toString(seed), "--out",
                        file.toString()));
        if (change > 0) {
            command.addAll(List.of("--change", Double.toString(change)));
        }
        Programs.run(cleanup, options.limit(), Map.of(), command);
        return file;
    }
}
