package io.bellwether.loadtest.bench;

import java.util.Locale;

/** How a benchmark begins and ends: 0 when every promise was kept, 1 when one was missed, 2 when it could not be made. */
public final class Run {
    private static final int MISSED = 1;
    private static final int FAILED = 2;

    private Run() {}

    /** A benchmark. */
    @FunctionalInterface
    public interface Benchmark {
        /**
         * Measures.
         *
         * @param cleanup stops what was started, when this ends, fails or is stopped by a signal
         * @return whether every promise was kept
         */
        boolean run(Cleanup cleanup) throws Exception;
    }

    /** Runs a benchmark and ends this program unless all is well. */
    public static void main(String name, Benchmark benchmark) {
        Locale.setDefault(Locale.ROOT);
        int status;
        try (Cleanup cleanup = new Cleanup().undoneOnSignal()) {
            status = attempt(name, benchmark, cleanup);
        }
        if (status != 0) {
            System.exit(status);
        }
    }

    private static int attempt(String name, Benchmark benchmark, Cleanup cleanup) {
        try {
            return benchmark.run(cleanup) ? 0 : MISSED;
        } catch (BenchmarkException e) {
            System.err.println(name + ": " + e.getMessage());
        } catch (Exception e) {
            // Stopped by a signal, whatever was under way fails in its own way.
            if (cleanup.isOver()) {
                System.err.println(name + ": stopped");
            } else {
                System.err.println(name + " failed:");
                e.printStackTrace();
            }
        }
        return FAILED;
    }
}
