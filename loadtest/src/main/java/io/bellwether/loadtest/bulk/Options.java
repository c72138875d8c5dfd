package io.bellwether.loadtest.bulk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

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

    /** Reads the properties; {@code loadtest.basedir} is the folder of the load tests. */
    static Options read() {
        Path base = Path.of(System.getProperty("loadtest.basedir", "loadtest")).toAbsolutePath().normalize();
        Path distribution = Path.of(System.getProperty("distribution",
                base.resolveSibling("target").resolve("bellwether").toString())).toAbsolutePath();
        if (!Files.isExecutable(distribution.resolve("bin/bellwether"))) {
            throw new BenchmarkException("there is no " + distribution.resolve("bin/bellwether")
                    + ": build it with `mvn -q -DskipTests package`, or name its folder with -Ddistribution=…");
        }
        return new Options(sizes(System.getProperty("policies", "100000,1000000")), System.getProperty("heap", ""),
                System.getProperty("jvm", ""), distribution,
                Path.of(System.getProperty("work", System.getProperty("java.io.tmpdir"))).toAbsolutePath(),
                Path.of(System.getProperty("results", base.resolve("results").toString())).toAbsolutePath(),
                number("refreshes", 0, (int) Math.round(1 / SMALL_CHANGE)), number("readers", 0, 256),
                Duration.ofMinutes(number("minutes", 60, 24 * 60)));
    }

    /** The server's heap: 256 MB, and 64 bytes for each policy beyond a million. */
    String heapFor(long size) {
        if (!heap.isEmpty()) {
            return heap;
        }
        long further = Math.max(0, size - POLICIES_OF_256_MB) * BYTES_OF_A_FURTHER_POLICY;
        return 256 + (further + (1 << 20) - 1 >> 20) + "m";
    }

    /** Refuses to begin where the disk would not be large enough in the end. */
    void checkDisk() throws IOException {
        long needed = DISK_BYTES + policies.get(policies.size() - 1) * DISK_BYTES_A_POLICY;
        long free = Files.getFileStore(work).getUsableSpace();
        if (free < needed) {
            throw new BenchmarkException(String.format(Locale.ROOT,
                    "%,d MB are free in %s, and %,d MB are needed: name another folder with -Dwork=… or a smaller size",
                    free >> 20, work, needed >> 20));
        }
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

    private static int number(String name, int otherwise, int most) {
        String text = System.getProperty(name, Integer.toString(otherwise));
        try {
            int number = Integer.parseInt(text);
            if (number >= 0 && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new BenchmarkException("-D" + name + " takes a number from 0 to " + most + ", not " + text);
    }
}
