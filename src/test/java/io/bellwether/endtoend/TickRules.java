package io.bellwether.endtoend;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/** What is promised of a job's rows, as complaints about rows that break it. Pure; nothing may be under way any more. */
final class TickRules {
    /** Each process looks for dead runs this often, so a take-over comes at most this long after the end of a lease. */
    static final Duration TAKE_OVER = Duration.ofSeconds(5);

    private final List<RunRow> rows;
    private final Duration period;
    private final @Nullable Duration slack;
    private final @Nullable List<Lives.Life> lives;
    private final List<String> complaints = new ArrayList<>();

    private TickRules(List<RunRow> rows, Duration period, @Nullable Duration slack,
            @Nullable List<Lives.Life> lives) {
        this.rows = rows.stream().sorted(Comparator.comparingLong(RunRow::id)).toList();
        this.period = period;
        this.slack = slack;
        this.lives = lives;
    }

    /**
     * Everything that is wrong with the rows.
     *
     * @param rows all of a job's
     * @param period between its ticks
     * @param slack how much later than promised a take-over may come; null when it may come at any time
     * @param lives when processes were up; null when some were all along
     */
    static List<String> broken(List<RunRow> rows, Duration period, @Nullable Duration slack,
            @Nullable List<Lives.Life> lives) {
        TickRules rules = new TickRules(rows, period, slack, lives);
        Map<Instant, List<RunRow>> byTick = byTick(rules.rows);
        byTick.values().forEach(rules::attempts);
        rules.noGap(byTick);
        rules.noneEarly();
        rules.fences();
        rules.published();
        rules.overlapped();
        return rules.complaints;
    }

    /** The rows of each tick, the first attempt first. */
    static Map<Instant, List<RunRow>> byTick(List<RunRow> rows) {
        Map<Instant, List<RunRow>> byTick = new TreeMap<>();
        rows.stream().sorted(Comparator.comparingLong(RunRow::id))
                .forEach(row -> byTick.computeIfAbsent(row.tick(), _ -> new ArrayList<>()).add(row));
        return byTick;
    }

    /** How long after the end of a silent process's lease its run was taken over or given up; null when it was not. */
    static @Nullable Duration takeOver(RunRow dead) {
        Instant end = dead.leaseEnd();
        return end == null || dead.finishedAt() == null ? null : Duration.between(end, dead.finishedAt());
    }

    private void attempts(List<RunRow> attempts) {
        for (int i = 0; i < attempts.size(); i++) {
            RunRow row = attempts.get(i);
            if (row.attempt() != i + 1) {
                complain(row, "is attempt " + row.attempt() + " and comes as number " + (i + 1));
            }
            if (row.isOpen()) {
                complain(row, "is left open");
            }
            if (row.isDone() && i < attempts.size() - 1) {
                complain(row, "is done, and the tick was attempted again");
            }
            if (slack != null && awaited(row).compareTo(TAKE_OVER.plus(slack)) > 0) {
                complain(row, "was taken over " + takeOver(row) + " after the end of its lease");
            }
        }
        if (attempts.stream().filter(RunRow::isPublished).count() > 1) {
            complain(attempts.getFirst(), "was published more than once");
        }
    }

    /** For how long some process could have taken the run over, and did not. */
    private Duration awaited(RunRow dead) {
        Duration after = takeOver(dead);
        Instant end = dead.leaseEnd();
        if (after == null || end == null) {
            return Duration.ZERO;
        }
        return lives == null
                ? after
                : lives.stream().map(life -> life.within(end, dead.finished())).max(Comparator.naturalOrder())
                        .orElse(Duration.ZERO);
    }

    private void noGap(Map<Instant, List<RunRow>> byTick) {
        Instant last = null;
        for (List<RunRow> attempts : byTick.values()) {
            RunRow row = attempts.getFirst();
            if (row.kind().equals("manual")) {
                continue;
            }
            if (last != null && !row.from().equals(last.plus(period))) {
                complain(row, "follows the tick " + last);
            }
            if (!row.tick().equals(row.from().plus(period.multipliedBy(row.ticks() - 1L)))) {
                complain(row, "stands for " + row.ticks() + " ticks from " + row.from());
            }
            last = row.tick();
        }
    }

    private void noneEarly() {
        for (RunRow row : rows) {
            if (row.claimedAt() != null && row.claimedAt().isBefore(row.tick())) {
                complain(row, "was claimed before it was due, at " + row.claimedAt());
            }
        }
    }

    private void fences() {
        long last = 0;
        for (RunRow row : rows.stream().filter(r -> r.claimedAt() != null)
                .sorted(Comparator.comparing(RunRow::claimed)).toList()) {
            long fence = row.fence() == null ? 0 : row.fence();
            if (fence <= last) {
                complain(row, "has the fence " + fence + " after " + last);
            }
            last = fence;
        }
    }

    private void published() {
        RunRow before = null;
        for (RunRow row : rows.stream().filter(RunRow::isPublished).sorted(Comparator.comparing(RunRow::claimed))
                .toList()) {
            long expected = before == null || before.revision() == null ? 1 : before.revision() + 1;
            if (row.revision() == null || row.revision() != expected) {
                complain(row, "published revision " + row.revision() + " and not " + expected);
            }
            if (before != null && row.claimed().isBefore(before.finished())) {
                complain(row, "began at " + row.claimedAt() + ", and the run of " + before.tick() + " ended at "
                        + before.finishedAt());
            }
            before = row;
        }
    }

    /** Nobody may leave a tick to a run that was not there. */
    private void overlapped() {
        for (RunRow row : rows) {
            if (row.state().equals("overlapped") && rows.stream().noneMatch(run -> spans(run, row.tick()))) {
                complain(row, "is overlapped by no run");
            }
        }
    }

    private static boolean spans(RunRow run, Instant tick) {
        return run.claimedAt() != null && run.finishedAt() != null && run.claimedAt().isBefore(tick)
                && !run.finishedAt().isBefore(tick);
    }

    private void complain(RunRow row, String what) {
        complaints.add("run " + row.id() + " (tick " + row.tick() + ", " + row.state() + ") " + what);
    }

    /** Counts by what is asked of each row; rows that have none are left out. */
    static Map<String, Long> count(List<RunRow> rows, java.util.function.Function<RunRow, @Nullable String> what) {
        return rows.stream().map(what).filter(java.util.Objects::nonNull)
                .collect(Collectors.groupingBy(x -> x, TreeMap::new, Collectors.counting()));
    }
}
