package io.bellwether.loadtest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

import com.fasterxml.jackson.databind.ObjectMapper;

import io.bellwether.loadtest.bench.Latencies;

/**
 * How long after its publish news came to those that waited, which is not what Gatling reports of a long poll: with {@code
 * -Dlateness=FILE} written there at the end, in JSON. Thread-safe.
 */
final class Lateness {
    private static final Latencies ALL = new Latencies();

    private Lateness() {}

    static void add(long millis) {
        ALL.add(millis * 1_000_000);
    }

    static void write() {
        String file = System.getProperty("lateness", "");
        if (!file.isEmpty()) {
            try {
                Files.write(Path.of(file), new ObjectMapper().writeValueAsBytes(ALL.summary()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
