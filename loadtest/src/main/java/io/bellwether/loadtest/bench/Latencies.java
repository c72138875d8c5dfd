package io.bellwether.loadtest.bench;

import java.util.Arrays;

/** How long requests took. Thread-safe. */
public final class Latencies {
    private long[] nanos = new long[1 << 14];
    private int count;

    /**
     * The middle and the tail.
     *
     * @param requests how many
     * @param p50Millis what half of them stayed below
     * @param p99Millis what 99 of 100 stayed below
     */
    public record Summary(int requests, double p50Millis, double p99Millis) {}

    /** Remembers how long one took, in nanoseconds. */
    public synchronized void add(long took) {
        if (count == nanos.length) {
            nanos = Arrays.copyOf(nanos, 2 * count);
        }
        nanos[count++] = took;
    }

    /** Forgets all. */
    public synchronized void clear() {
        count = 0;
    }

    /** What there is so far. */
    public synchronized Summary summary() {
        long[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        return new Summary(count, quantile(sorted, 0.5), quantile(sorted, 0.99));
    }

    /** The smallest value that at least this share of all does not exceed. */
    private static double quantile(long[] sorted, double share) {
        return sorted.length == 0
                ? 0
                : (double) sorted[Math.max(0, (int) Math.ceil(share * (double) sorted.length) - 1)] / 1e6;
    }
}
