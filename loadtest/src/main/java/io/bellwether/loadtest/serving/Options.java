package io.bellwether.loadtest.serving;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.bellwether.loadtest.bench.BenchmarkException;
import io.bellwether.loadtest.bench.Property;

/**
 * What is measured, from system properties.
 *
 * @param parts which of {@link #PARTS}
 * @param processes of the server
 * @param rounds how often those that are compared take turns
 * @param seconds of each turn of polls
 * @param connections over which polls go, each with one request at a time
 * @param bundleMegabytes compressed size of the set that is fetched whole
 * @param clients how many fetch it at once
 * @param policies of the set of which a thousandth changes
 * @param refreshMegabytes size of the feed that is loaded while polls are watched
 * @param coldClients how many fetch a whole set meanwhile
 * @param pollRate polls a second that are watched meanwhile
 * @param jvm Java options of each process of the server, and of the smallest handler; empty for none
 * @param distribution the folder that has {@code bin/bellwether}
 * @param work where the temporary folder is made
 * @param results where the results go
 * @param limit how long any single step may take
 */
record Options(List<String> parts, int processes, int rounds, int seconds, int connections, int bundleMegabytes,
        int clients, int policies, int refreshMegabytes, int coldClients, int pollRate, String jvm, Path distribution,
        Path work, Path results, Duration limit) {
    /** What there is to measure, in the order in which it is. */
    static final List<String> PARTS = List.of("polls", "cold", "changes", "during");

    private static final long DISK_BYTES = 3L << 30;
    private static final long DISK_BYTES_A_POLICY = 6_000;
    private static final long DISK_BYTES_A_MEGABYTE = 12L << 20;

    /** Reads the properties. */
    static Options read() {
        return new Options(parts(System.getProperty("parts", String.join(",", PARTS))),
                Property.number("processes", 2, 1, 16), Property.number("rounds", 5, 1, 100),
                Property.number("seconds", 5, 1, 600), Property.number("connections", 256, 1, 4096),
                Property.number("bundle", 200, 1, 4000), Property.number("clients", 50, 1, 2000),
                Property.number("policies", 1_000_000, 2_000, 10_000_000), Property.number("refresh", 1000, 1, 8000),
                Property.number("cold", 20, 0, 2000), Property.number("rate", 200, 1, 5000),
                System.getProperty("jvm", "").strip(), Property.distribution(), Property.work(), Property.results(),
                Duration.ofMinutes(Property.number("minutes", 20, 1, 24 * 60)));
    }

    private static List<String> parts(String text) {
        List<String> parts = Arrays.stream(text.split(",", -1)).map(String::strip).toList();
        if (!PARTS.containsAll(parts)) {
            throw new BenchmarkException("-Dparts takes some of " + String.join(",", PARTS) + ", not " + text);
        }
        return parts;
    }

    /** How much room it takes in the end. */
    long diskBytes() {
        return DISK_BYTES + (parts.contains("changes") ? policies * DISK_BYTES_A_POLICY : 0)
                + (parts.contains("cold") || parts.contains("during") ? bundleMegabytes * 3 * DISK_BYTES_A_MEGABYTE : 0)
                + (parts.contains("during") ? refreshMegabytes * DISK_BYTES_A_MEGABYTE : 0);
    }

    /** For people. */
    Map<String, String> words() {
        Map<String, String> words = new LinkedHashMap<>();
        words.put("parts", String.join(",", parts));
        words.put("processes", Integer.toString(processes));
        words.put("rounds", Integer.toString(rounds));
        words.put("seconds", Integer.toString(seconds));
        words.put("connections", Integer.toString(connections));
        words.put("bundle", bundleMegabytes + " MB");
        words.put("clients", Integer.toString(clients));
        words.put("policies", Integer.toString(policies));
        words.put("refresh", refreshMegabytes + " MB");
        words.put("cold", coldClients + " clients");
        words.put("rate", pollRate + "/s");
        words.put("jvm", jvm.isEmpty() ? "no more options" : jvm);
        return words;
    }
}
