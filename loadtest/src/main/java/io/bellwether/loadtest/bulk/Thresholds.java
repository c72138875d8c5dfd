package io.bellwether.loadtest.bulk;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import com.fasterxml.jackson.annotation.JsonProperty;

import io.bellwether.loadtest.bench.Latencies;

/** What is promised, and whether it was kept. */
final class Thresholds {
    private static final double FIRST_LOAD = 1.5;
    private static final double SMALL_CHANGE = 0.3;
    private static final double SMALL_CHANGE_WAL = 0.02;
    private static final double UNCHANGED = 0.2;
    /** Next to nothing: what the run's own rows and the process's heartbeat write. */
    private static final long UNCHANGED_WAL_BYTES = 1 << 20;
    private static final double NOT_MODIFIED_SECONDS = 0.25;
    /** Time and memory may grow this much faster than the number of policies, from one size to the next. */
    private static final double GROWTH = 1.25;
    /** Steps shorter than this are not judged by how they grow: they are mostly fixed cost. */
    private static final double SHORTEST_SECONDS = 0.5;
    private static final double READERS = 3;
    /** What making room for readers may cost a first load. */
    private static final double READ_LOAD = 2.5;
    /** What is promised of a set's time and log is promised of a large one: a smaller costs mostly what any refresh does. */
    private static final long LARGE_POLICIES = 1_000_000;
    /** From here on it is judged how cost grows. */
    private static final long GROWING_POLICIES = 100_000;

    private Thresholds() {}

    /**
     * One promise.
     *
     * @param policies of which size
     * @param promise in words
     * @param measured what came out
     * @param limit what it may be at most
     */
    record Verdict(long policies, String promise, double measured, double limit) {
        @JsonProperty
        boolean kept() {
            return measured <= limit;
        }

        /** For people. */
        String words() {
            return String.format(Locale.ROOT, "%s: %,d policies: %s: %.3f, at most %.3f", kept() ? "kept" : "MISSED",
                    policies, promise, measured, limit);
        }
    }

    /** Judges all sizes of some weight, which come in rising order. */
    static List<Verdict> judge(List<SizeResult> sizes) {
        List<Verdict> verdicts = new ArrayList<>();
        SizeResult before = null;
        for (SizeResult size : sizes) {
            if (size.policies() >= LARGE_POLICIES) {
                judge(size, verdicts);
            }
            if (before != null && before.policies() >= GROWING_POLICIES) {
                growth(before, size, verdicts);
            }
            before = size;
        }
        return verdicts;
    }

    private static void judge(SizeResult size, List<Verdict> verdicts) {
        double copy = size.copySeconds();
        Measurement first = size.step(Steps.FIRST_LOAD);
        long n = size.policies();
        verdicts.add(new Verdict(n, "first load, of \\copy", first.seconds() / copy, FIRST_LOAD));
        verdicts.add(new Verdict(n, "0.1 % changed, of \\copy", smallSeconds(size) / copy, SMALL_CHANGE));
        verdicts.add(new Verdict(n, "log of 0.1 % changed, of the first load's",
                smallWal(size) / (double) first.walBytes(), SMALL_CHANGE_WAL));
        Measurement unchanged = size.step(Steps.UNCHANGED);
        verdicts.add(new Verdict(n, "unchanged, of \\copy", unchanged.seconds() / copy, UNCHANGED));
        verdicts.add(new Verdict(n, "log of unchanged, bytes", unchanged.walBytes(), UNCHANGED_WAL_BYTES));
        verdicts.add(new Verdict(n, "answered 304, seconds", size.step(Steps.NOT_MODIFIED).seconds(),
                NOT_MODIFIED_SECONDS));
        if (size.readers() != null) {
            verdicts.add(readers(n, "heads", size.readers().idle().heads(), size.readers().loading().heads()));
            verdicts.add(readers(n, "bundles", size.readers().idle().bundles(), size.readers().loading().bundles()));
            verdicts.add(new Verdict(n, "first load while readers read, of the one without",
                    size.step(Steps.READ_LOAD).seconds() / first.seconds(), READ_LOAD));
            verdicts.add(new Verdict(n, "failed reads", size.readers().idle().failures()
                    + size.readers().loading().failures(), 0));
        }
    }

    private static Verdict readers(long policies, String what, Latencies.Summary idle, Latencies.Summary loading) {
        return new Verdict(policies, "p99 of " + what + " during a first load, of the idle one",
                loading.p99Millis() / idle.p99Millis(), READERS);
    }

    private static void growth(SizeResult from, SizeResult to, List<Verdict> verdicts) {
        double input = (double) to.policies() / (double) from.policies();
        for (String step : List.of(Steps.FIRST_LOAD, Steps.UNCHANGED, Steps.LARGE)) {
            double before = Math.max(from.step(step).seconds(), SHORTEST_SECONDS);
            verdicts.add(new Verdict(to.policies(), "growth of time, " + step + ", of the growth of the input",
                    to.step(step).seconds() / before / input, GROWTH));
        }
        verdicts.add(new Verdict(to.policies(), "growth of peak memory, of the growth of the input",
                (double) to.peakBytes() / (double) from.peakBytes() / input, GROWTH));
    }

    /** The refresh that changes a thousandth, as it comes: of three the middle one, of which one follows a checkpoint. */
    static double smallSeconds(SizeResult size) {
        return middle(size.step(Steps.SMALL_AFTER_CHECKPOINT).seconds(), size.step(Steps.SMALL).seconds(),
                size.step(Steps.SMALL_AGAIN).seconds());
    }

    /** Bytes of log, likewise. */
    static double smallWal(SizeResult size) {
        return middle(size.step(Steps.SMALL_AFTER_CHECKPOINT).walBytes(), size.step(Steps.SMALL).walBytes(),
                size.step(Steps.SMALL_AGAIN).walBytes());
    }

    private static double middle(double a, double b, double c) {
        return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
    }
}
