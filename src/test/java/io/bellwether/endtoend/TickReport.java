package io.bellwether.endtoend;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What became of a job's ticks, in numbers.
 *
 * @param rows all, the oldest first
 * @param contents how many revisions were compared with what the upstream had served
 */
record TickReport(List<RunRow> rows, int contents) {
    /** How many ticks were due; manual runs are none. */
    long ticks() {
        return rows.stream().filter(r -> r.attempt() == 1 && !r.kind().equals("manual")).mapToLong(RunRow::ticks).sum();
    }

    /** How many rows of each state; ticks that were due just when the set was switched off at the end are left out. */
    Map<String, Long> states() {
        return TickRules.count(rows.stream().filter(row -> !row.isOfSwitchingOff()).toList(), RunRow::state);
    }

    /** How many rows of that state. */
    long count(String state) {
        return states().getOrDefault(state, 0L);
    }

    /** How many claims by each gate. */
    Map<String, Long> gates() {
        return TickRules.count(rows, RunRow::gate);
    }

    /** How many revisions each process published. */
    Map<String, Long> leaders() {
        return TickRules.count(rows.stream().filter(RunRow::isPublished).toList(), RunRow::process);
    }

    /** How long after the end of a lease each silent run was taken over. */
    List<Duration> takeOvers() {
        return rows.stream().map(TickRules::takeOver).filter(Objects::nonNull).sorted().toList();
    }

    /** How long the runs took that published, the shortest first. */
    List<Duration> lengths() {
        return rows.stream().filter(RunRow::isPublished).map(RunRow::length).sorted().toList();
    }

    /** All of it in one line. */
    @Override
    public String toString() {
        return "ticks=" + ticks() + " states=" + states() + " gates=" + gates() + " leaders=" + leaders().size()
                + " of " + TickRules.count(rows, RunRow::process).size() + " contents=" + contents + " runs "
                + spread(lengths()) + " take-overs after the lease " + spread(takeOvers());
    }

    /** The distribution of times, the shortest first. */
    static String spread(List<Duration> sorted) {
        if (sorted.isEmpty()) {
            return "none";
        }
        return "n=" + sorted.size() + " min=" + sorted.getFirst().toMillis() + " median=" + at(sorted, 0.5) + " p95="
                + at(sorted, 0.95) + " max=" + sorted.getLast().toMillis() + " ms";
    }

    private static long at(List<Duration> sorted, double share) {
        return sorted.get((int) Math.min(sorted.size() - 1L, Math.round(share * (sorted.size() - 1)))).toMillis();
    }
}
