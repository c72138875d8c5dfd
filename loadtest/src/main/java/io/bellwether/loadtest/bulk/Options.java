package io.bellwether.loadtest.bulk;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.bellwether.loadtest.bench.BenchmarkException;
import io.bellwether.loadtest.bench.Property;

/**
 * What is measured, from system properties.
 *
 * @param policies the sizes, rising
 * @param heap the server's heap as {@code -Xmx} takes it, or empty for what {@link #heapFor} says
 * @param jvm more Java options of the server, such as those that record a profile; empty for none
 * @param distribution the folder that has {@code bin/bellwether}
 * @param work where the temporary folder is made; needs about 10 KB for each policy of the largest size
 * @param results where the results go
 * @param refreshes how many refreshes follow each other to see what tables and log cost in the long run; 0 for none
 * @param readers how many threads read through nginx while another set is loaded; 0 for none
 * @param limit how long any single step may take
 */
record Options(List<Long> policies, String heap, String jvm, Path distribution, Path work, Path results, int refreshes,
        int readers, Duration limit) {
    /** The share of the policies that a small change touches; the most refreshes are those that touch all of them. */
    static final double SMALL_CHANGE = 0.001;
    /** The share of the policies that a large change touches. */
    static final double LARGE_CHANGE = 0.1;

    private static final long MOST_POLICIES = 10_000_000;
    private static final long POLICIES_OF_256_MB = 1_000_000;
    private static final int BYTES_OF_A_FURTHER_POLICY = 64;
    private static final long DISK_BYTES = 3L << 30;
    private static final long DISK_BYTES_A_POLICY = 10_000;

    /** Reads the properties. */
    static Options read() {
        return new Options(sizes(System.getProperty("policies", "100000,1000000")), System.getProperty("heap", ""),
                System.getProperty("jvm", ""), Property.distribution(), Property.work(), Property.results(),
                Property.number("refreshes", 0, 0, (int) Math.round(1 / SMALL_CHANGE)),
                Property.number("readers", 0, 0, 256), Duration.ofMinutes(Property.number("minutes", 60, 1, 24 * 60)));
    }

    /** The server's heap: 256 MB, and 64 bytes for each policy beyond a million. */
    String heapFor(long size) {
        if (!heap.isEmpty()) {
            return heap;
        }
        long further = Math.max(0, size - POLICIES_OF_256_MB) * BYTES_OF_A_FURTHER_POLICY;
        return 256 + (further + (1 << 20) - 1 >> 20) + "m";
    }

    /** How much room the largest size takes in the end. */
    long diskBytes() {
        return DISK_BYTES + policies.get(policies.size() - 1) * DISK_BYTES_A_POLICY;
    }

    private static List<Long> sizes(String text) {
        List<Long> sizes = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            long size;
            try {
                size = Long.parseLong(part.strip().replace("_", ""));
            } catch (NumberFormatException e) {
                throw new BenchmarkException("-Dpolicies takes numbers with commas between them, not " + text);
            }
            if (size < 1_000 || size > MOST_POLICIES || !sizes.isEmpty() && size <= sizes.get(sizes.size() - 1)) {
                throw new BenchmarkException("-Dpolicies takes rising numbers from 1000 to " + MOST_POLICIES + ", not "
                        + text);
            }
            sizes.add(size);
        }
        return List.copyOf(sizes);
    }
}
