package io.bellwether.endtoend;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What was written to a log from a moment on. Stateless but for the moment.
 *
 * @param file the log, which must not be rotated meanwhile
 * @param from its size at the moment
 */
record LogSince(Path file, long from) {
    private static final Pattern SERIOUS_TO_POSTGRES = Pattern.compile(" (ERROR|FATAL|PANIC):  ");
    private static final Pattern ERROR_OR_TRACE = Pattern.compile(" ERROR |^\\s+at |^Caused by: |^Exception in ");

    /** From now on. */
    static LogSince now(Path file) throws IOException {
        return new LogSince(file, Files.exists(file) ? Files.size(file) : 0);
    }

    /** The lines since then. */
    List<String> lines() throws IOException {
        if (!Files.exists(file)) {
            return List.of();
        }
        try (InputStream in = Files.newInputStream(file)) {
            in.skipNBytes(from);
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }

    /** The lines that match. */
    List<String> lines(Predicate<String> wanted) throws IOException {
        return lines().stream().filter(wanted).toList();
    }

    /** The lines of a process that say ERROR or belong to a stack trace. */
    List<String> errorsAndTraces() throws IOException {
        return lines(line -> ERROR_OR_TRACE.matcher(line).find());
    }

    /** PostgreSQL's complaints, but those that hold one of these texts. */
    List<String> postgresComplaints(String... expected) throws IOException {
        return lines(line -> SERIOUS_TO_POSTGRES.matcher(line).find()
                && Stream.of(expected).noneMatch(line::contains));
    }
}
