package io.bellwether.lease;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.bellwether.schedule.JobSight;
import io.bellwether.schedule.NextStep;

/** The runs of the model's one job, and what the ledger asks of them. Not thread safe. */
final class ModelRows {
    /** A row of {@code run}. */
    static final class Row {
        final long id;
        final String kind;
        Instant tick;
        final int attempt;
        String state;
        @Nullable
        String process;
        long fence;
        @Nullable
        UUID nonce;
        @Nullable
        Instant claimedAt;
        @Nullable
        Instant leaseUntil;
        @Nullable
        Instant finishedAt;
        boolean handedOver;
        /** Closed without a next attempt, for a reason that the rules name. */
        boolean gaveUp;
        int ticks = 1;

        Row(long id, String kind, Instant tick, int attempt, String state) {
            this.id = id;
            this.kind = kind;
            this.tick = tick;
            this.attempt = attempt;
            this.state = state;
        }

        @Override
        public String toString() {
            return id + " " + kind + " " + tick + "#" + attempt + " " + state + " x" + ticks + " by " + process
                    + " fence "
                    + fence + " " + claimedAt + ".." + finishedAt + " lease " + leaseUntil;
        }
    }

    private final List<Row> rows = new ArrayList<>();

    /** In the order in which they were made. */
    List<Row> all() {
        return rows;
    }

    Row get(long id) {
        return rows.get((int) id - 1);
    }

    Row add(String kind, Instant tick, int attempt, String state) {
        Row row = new Row(rows.size() + 1L, kind, tick, attempt, state);
        rows.add(row);
        return row;
    }

    @Nullable
    Row running() {
        return rows.stream().filter(row -> row.state.equals("running")).findFirst().orElse(null);
    }

    @Nullable
    Row queued() {
        return rows.stream().filter(row -> row.state.equals("queued")).min(Comparator.comparing(row -> row.tick))
                .orElse(null);
    }

    @Nullable
    Row first(Instant tick) {
        return rows.stream().filter(row -> row.tick.equals(tick)).findFirst().orElse(null);
    }

    @Nullable
    Row first(Instant tick, String state) {
        return rows.stream().filter(row -> row.tick.equals(tick) && row.state.equals(state)).findFirst()
                .orElse(null);
    }

    @Nullable
    Row newest(Instant tick) {
        return rows.reversed().stream().filter(row -> row.tick.equals(tick)).findFirst().orElse(null);
    }

    boolean has(Instant tick, int attempt) {
        return rows.stream().anyMatch(row -> row.tick.equals(tick) && row.attempt == attempt);
    }

    boolean isManual(Row run) {
        return rows.stream().anyMatch(row -> row.tick.equals(run.tick) && row.kind.equals("manual"));
    }

    /** How many attempts of the tick count: those that were handed over do not. */
    long attempts(Instant tick) {
        return rows.stream().filter(row -> row.tick.equals(tick) && !row.handedOver).count();
    }

    /** What the last run up to the cursor left to try again, if it failed. */
    JobSight.@Nullable Failed failed(Instant cursor) {
        Row last = rows.stream().filter(row -> !row.tick.isAfter(cursor) && !row.state.equals("overlapped"))
                .filter(row -> !isManual(row))
                .max(Comparator.comparing((Row row) -> row.tick).thenComparing(row -> row.attempt)).orElse(null);
        return last == null || !last.state.equals("failed")
                ? null
                : new JobSight.Failed(last.tick, last.attempt, (int) attempts(last.tick),
                        Objects.requireNonNull(last.finishedAt));
    }

    boolean fellIntoARun(Instant tick) {
        return rows.reversed().stream().filter(row -> row.claimedAt != null).limit(64)
                .anyMatch(row -> row.claimedAt != null && row.finishedAt != null
                        && row.leaseUntil != null && row.claimedAt.isBefore(tick) && !row.finishedAt.isBefore(tick)
                        && !row.leaseUntil.plus(NextStep.TAKE_OVER_TIME).isBefore(tick));
    }
}
