package io.bellwether.lease;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.bellwether.lease.ModelRows.Row;
import io.bellwether.schedule.NextStep;
import io.bellwether.schedule.Step;

/**
 * The ledger of one job in memory, for the model: the same contract as the one in PostgreSQL, with switches for what
 * befalls a database. Not thread safe.
 */
final class ModelLedger implements Ledger {
    /** A rule that is left out, to see that the model notices. */
    enum Flaw {
        NONE,
        /** A publish does not ask whether its run was taken over. */
        PUBLISH_UNFENCED,
        /** A claim does not ask whether its tick was claimed before. */
        CLAIM_AGAIN,
        /** A claim that is won leaves the fence as it was. */
        FENCE_KEPT,
        /** Ticks that fell into a run are passed over without a row. */
        OVERLAP_UNTOLD,
        /** A run of which nothing was heard is closed, and nobody makes its next attempt, nor says so. */
        TAKE_OVER_FORGETS
    }

    private final InstantSource clock;
    private final String schedule;
    private final Flaw flaw;
    private final Duration maxRuntime = Duration.ofMinutes(10);
    final ModelRows rows = new ModelRows();
    Instant cursor;
    boolean enabled = true;
    @Nullable
    Instant pausedUntil;
    private String misfire = "coalesce";
    private long fence;
    private long effects;
    private boolean up = true;
    private boolean losesAnswer;

    ModelLedger(InstantSource clock, String schedule, Instant cursor) {
        this(clock, schedule, cursor, Flaw.NONE);
    }

    ModelLedger(InstantSource clock, String schedule, Instant cursor, Flaw flaw) {
        this.flaw = flaw;
        this.clock = clock;
        this.schedule = schedule;
        this.cursor = cursor;
    }

    void up(boolean now) {
        up = now;
    }

    void skips() {
        misfire = "skip";
    }

    /** The next change is made, but its answer is lost. */
    void losesNextAnswer() {
        losesAnswer = true;
    }

    /** The next change is answered again. */
    void answers() {
        losesAnswer = false;
    }

    long enqueue() throws SQLException {
        reach();
        Instant tick = clock.instant().plusNanos(1_000L * (rows.all().size() + 1));
        return rows.add("manual", tick, 1, "queued").id;
    }

    /** A publishing transaction: fence, effect and result at once. */
    boolean publish(Claim claim) throws SQLException {
        reach();
        boolean passes = passesFence(claim);
        if (passes) {
            close(rows.get(claim.runId()), "published");
            effects++;
        }
        return answered(passes);
    }

    boolean passesFence(Claim claim) {
        Row row = rows.get(claim.runId());
        return flaw == Flaw.PUBLISH_UNFENCED
                || fence == claim.fence() && row.state.equals("running") && claim.nonce().equals(row.nonce);
    }

    long effects() {
        return effects;
    }

    private void reach() throws SQLException {
        if (!up) {
            throw new SQLException("the database is away");
        }
    }

    private <T> T answered(T answer) throws SQLException {
        if (losesAnswer) {
            losesAnswer = false;
            throw new SQLException("the answer was lost");
        }
        return answer;
    }

    private void close(Row row, String state) {
        row.state = state;
        row.finishedAt = clock.instant();
    }

    @Override
    public List<JobRow> look() throws SQLException {
        reach();
        Row run = rows.running();
        Row queued = rows.queued();
        Row newest = rows.newest(cursor);
        return List.of(new JobRow(1, "demo", "refresh", 1, schedule, "UTC", misfire, Duration.ofDays(1), enabled,
                pausedUntil, cursor,
                run == null
                        ? null
                        : new JobRow.Running(run.id, run.tick, Objects.requireNonNull(run.process),
                                Objects.requireNonNull(run.claimedAt), Objects.requireNonNull(run.leaseUntil),
                                run.handedOver, rows.isManual(run)),
                queued == null ? null : queued.id, queued == null ? null : queued.tick,
                newest == null
                        ? null
                        : new JobRow.Newest(newest.kind, newest.tick, newest.state, newest.attempt, newest.process,
                                newest.finishedAt),
                newest == null ? null : rows.failed(cursor)));
    }

    private boolean isPaused(Instant tick) {
        return pausedUntil != null && !tick.isAfter(pausedUntil);
    }

    private Claim start(Row row, Ticket ticket) {
        fence += flaw == Flaw.FENCE_KEPT ? 0 : 1;
        row.state = "running";
        row.process = ticket.process();
        row.fence = fence;
        row.nonce = ticket.nonce();
        row.claimedAt = clock.instant();
        row.leaseUntil = clock.instant().plus(ticket.lease());
        return new Claim(row.id, 1, "demo", "refresh", row.kind, row.tick, row.attempt, fence, ticket.nonce(),
                ticket.gate(), maxRuntime, null, clock.instant());
    }

    @Override
    public ClaimOutcome claim(JobRow job, Instant tick, Ticket ticket) throws SQLException {
        reach();
        if (!tick.isAfter(cursor) && flaw != Flaw.CLAIM_AGAIN) {
            Row row = rows.first(tick);
            return new ClaimOutcome.Lost(row == null ? null : row.process);
        }
        if (!job.cursor().equals(cursor) && flaw != Flaw.CLAIM_AGAIN || !enabled || isPaused(tick)) {
            return new ClaimOutcome.Refused("the job was changed");
        }
        if (tick.isAfter(clock.instant())) {
            return new ClaimOutcome.NotDue(Duration.between(clock.instant(), tick));
        }
        if (rows.running() != null) {
            return new ClaimOutcome.Refused("a run is under way");
        }
        cursor = tick;
        if (rows.fellIntoARun(tick)) {
            close(rows.add("cron", tick, 1, "overlapped"), "overlapped");
            return answered(new ClaimOutcome.Overlapped());
        }
        return answered(new ClaimOutcome.Won(start(rows.add("cron", tick, 1, "running"), ticket)));
    }

    @Override
    public ClaimOutcome claimQueued(JobRow job, long runId, Ticket ticket) throws SQLException {
        reach();
        if (rows.running() != null) {
            return new ClaimOutcome.Refused("a run is under way");
        }
        if (!rows.get(runId).state.equals("queued")) {
            return new ClaimOutcome.Lost(null);
        }
        return answered(new ClaimOutcome.Won(start(rows.get(runId), ticket)));
    }

    @Override
    public ClaimOutcome retry(JobRow job, Instant tick, int attempt, Ticket ticket) throws SQLException {
        reach();
        if (!job.cursor().equals(cursor) || !enabled || isPaused(clock.instant()) || rows.running() != null) {
            return new ClaimOutcome.Refused("the job was changed");
        }
        if (rows.has(tick, attempt)) {
            return new ClaimOutcome.Lost(null);
        }
        return answered(new ClaimOutcome.Won(start(rows.add("cron", tick, attempt, "running"), ticket)));
    }

    @Override
    public ClaimOutcome takeOver(JobRow job, long runId, boolean newerDue, Ticket ticket) throws SQLException {
        reach();
        Row dead = rows.get(runId);
        if (!dead.state.equals("running") || Objects.requireNonNull(dead.leaseUntil).isAfter(clock.instant())) {
            return new ClaimOutcome.Lost(null);
        }
        boolean manual = rows.isManual(dead);
        if (newerDue && !manual && !job.cursor().equals(cursor)) {
            return new ClaimOutcome.Refused("the job was changed");
        }
        boolean superseded = newerDue && !manual;
        close(dead, superseded ? "superseded" : "abandoned");
        if (flaw == Flaw.TAKE_OVER_FORGETS) {
            return answered(new ClaimOutcome.Closed(dead.state, "forgotten"));
        }
        long attempts = rows.attempts(dead.tick);
        if (superseded || attempts >= NextStep.MAX_ATTEMPTS
                || !manual && (!enabled || isPaused(clock.instant()))) {
            dead.gaveUp = true;
            return answered(new ClaimOutcome.Closed(dead.state, "no further attempt"));
        }
        return answered(
                new ClaimOutcome.Won(start(rows.add("take-over", dead.tick, dead.attempt + 1, "running"), ticket)));
    }

    @Override
    public boolean overlapped(JobRow job, List<Instant> ticks) throws SQLException {
        reach();
        Row run = rows.running();
        if (!job.cursor().equals(cursor) || ticks.getLast().isAfter(clock.instant()) || run == null
                || job.running() == null || run != rows.get(job.running().runId())) {
            return false;
        }
        if (flaw != Flaw.OVERLAP_UNTOLD) {
            ticks.forEach(tick -> close(rows.add("cron", tick, 1, "overlapped"), "overlapped"));
        }
        cursor = ticks.getLast();
        return answered(true);
    }

    @Override
    public boolean missed(JobRow job, Step.Stretch ticks) throws SQLException {
        return stretch(job, ticks, "missed");
    }

    @Override
    public boolean paused(JobRow job, Step.Stretch ticks) throws SQLException {
        return isPaused(ticks.last()) && stretch(job, ticks, "paused");
    }

    private boolean stretch(JobRow job, Step.Stretch ticks, String state) throws SQLException {
        reach();
        if (!job.cursor().equals(cursor) || ticks.last().isAfter(clock.instant())) {
            return false;
        }
        Row before = rows.first(cursor, state);
        if (before == null) {
            Row row = rows.add("cron", ticks.last(), 1, state);
            row.ticks = ticks.count();
            close(row, state);
        } else {
            before.tick = ticks.last();
            before.ticks += ticks.count();
        }
        cursor = ticks.last();
        return answered(true);
    }

    @Override
    public Map<Long, Boolean> beat(Map<Long, Held> runs, Duration lease) throws SQLException {
        reach();
        Map<Long, Boolean> alive = new HashMap<>();
        runs.forEach((id, held) -> {
            Row row = id <= rows.all().size() ? rows.get(id) : null;
            boolean ours = row != null && row.state.equals("running") && !row.handedOver
                    && held.nonce().equals(row.nonce);
            if (row != null && ours) {
                row.leaseUntil = clock.instant().plus(lease);
            }
            alive.put(id, ours);
        });
        return alive;
    }

    @Override
    public String finish(Claim run, End end, boolean endBackend) throws SQLException {
        reach();
        Row row = rows.get(run.runId());
        if (row.state.equals("running") && run.nonce().equals(row.nonce)) {
            close(row, end.state());
        }
        return answered(row.state);
    }

    @Override
    public String fenced(Claim run, String reason) throws SQLException {
        reach();
        Row row = rows.get(run.runId());
        if (run.nonce().equals(row.nonce) && (row.state.equals("abandoned") || row.state.equals("superseded"))) {
            row.state = "fenced";
        }
        return answered(row.state);
    }

    @Override
    public boolean giveBack(Claim run, boolean handedOver) throws SQLException {
        reach();
        Row row = rows.get(run.runId());
        if (!row.state.equals("running") || !run.nonce().equals(row.nonce)) {
            return false;
        }
        Instant until = Objects.requireNonNull(row.leaseUntil);
        row.leaseUntil = until.isBefore(clock.instant()) ? until : clock.instant();
        row.handedOver = handedOver;
        row.nonce = UUID.randomUUID();
        return true;
    }

    @Override
    public String state(Claim run) throws SQLException {
        reach();
        return rows.get(run.runId()).state;
    }

    @Override
    public String settle(Claim run) throws SQLException {
        return state(run);
    }
}
