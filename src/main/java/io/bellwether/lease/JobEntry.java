package io.bellwether.lease;

import java.time.Duration;
import java.time.Instant;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

import io.bellwether.schedule.CronSchedule;
import io.bellwether.schedule.JobSight;
import io.bellwether.schedule.MisfirePolicy;
import io.bellwether.schedule.NextStep;

/**
 * What a process knows of one job: the row of the last look, the schedule read from it, and what it remembers by itself.
 * Thread safe.
 */
final class JobEntry {
    @GuardedBy("this")
    private JobRow row;

    @GuardedBy("this")
    private @Nullable CronSchedule schedule;

    @GuardedBy("this")
    private JobSight.@Nullable LostGate lostGate;

    @GuardedBy("this")
    private @Nullable Instant hauntedUntil;

    @GuardedBy("this")
    private long restsSinceNanos;

    @GuardedBy("this")
    private Duration rest = Duration.ZERO;

    @GuardedBy("this")
    private boolean inFlight;

    @GuardedBy("this")
    private long changedNanos;

    @GuardedBy("this")
    private boolean changed;

    /** The row of the first look. */
    JobEntry(JobRow row) {
        this.row = row;
        this.schedule = read(row);
    }

    private static @Nullable CronSchedule read(JobRow row) {
        try {
            return CronSchedule.parse(row.schedule(), row.zone());
        } catch (RuntimeException e) {
            return null; // Whatever is wrong with it, only this job is out.
        }
    }

    /**
     * Takes a newer row.
     *
     * @param begunNanos when the look began; a change that we made after that is not in it
     * @return the row before
     */
    synchronized JobRow seen(JobRow newer, long begunNanos) {
        JobRow before = row;
        if (newer.version() != row.version() || !newer.schedule().equals(row.schedule())
                || !newer.zone().equals(row.zone())) {
            schedule = read(newer);
        }
        row = newer;
        if (changed && begunNanos - changedNanos >= 0) {
            changed = false;
        }
        return before;
    }

    synchronized JobRow row() {
        return row;
    }

    /** Whether the schedule cannot be read. */
    synchronized boolean isBroken() {
        return schedule == null;
    }

    /** Whether nothing is to be decided before a newer look, or while a step is under way. */
    synchronized boolean isAwaited() {
        return inFlight || changed;
    }

    /** Whether a look is needed before the next step. */
    synchronized boolean isChanged() {
        return changed && !inFlight;
    }

    /** For how much longer the job is left alone; not positive when it is not. */
    synchronized Duration resting() {
        return rest.minusNanos(System.nanoTime() - restsSinceNanos);
    }

    /** For how long it was left alone last. */
    synchronized Duration rest() {
        return rest;
    }

    /** Leaves the job alone for so long, whatever any clock is set to meanwhile. */
    synchronized void rest(Duration howLong) {
        restsSinceNanos = System.nanoTime();
        rest = howLong;
    }

    /** A step begins. */
    synchronized void begin() {
        inFlight = true;
    }

    /** The step is over; whatever it did, the row that we know is out of date. */
    synchronized void done() {
        inFlight = false;
        outdated();
    }

    /** The row that we know is out of date. */
    synchronized void outdated() {
        changed = true;
        changedNanos = System.nanoTime();
    }

    /** Somebody else was inside the gate. */
    synchronized void lost(Instant subject, Instant at) {
        lostGate = new JobSight.LostGate(subject, at);
    }

    /**
     * The gate was held, and yet nobody ran: whoever holds it is dead, or slower than the database.
     *
     * @return whether that was not known
     */
    synchronized boolean haunted(Instant now) {
        if (hauntedUntil != null && now.isBefore(hauntedUntil)) {
            return false;
        }
        hauntedUntil = now.plus(NextStep.HAUNTED);
        return true;
    }

    /** What the rule needs; null when the schedule cannot be read. */
    synchronized @Nullable JobSight sight(JobSight.Manners manners) {
        if (schedule == null) {
            return null;
        }
        JobRow.Running run = row.running();
        Instant queuedSince = row.queuedSince();
        MisfirePolicy.Kind kind = row.misfire().equals("skip")
                ? MisfirePolicy.Kind.SKIP
                : MisfirePolicy.Kind.COALESCE;
        return new JobSight(schedule, new MisfirePolicy(kind, MisfirePolicy.GRACE, row.misfireWindow()), row.enabled(),
                row.pausedUntil(), row.cursor(),
                run == null
                        ? null
                        : new JobSight.Running(run.runId(), run.claimedAt(), run.leaseUntil(), run.handedOver(),
                                run.manual()),
                row.queuedId() == null || queuedSince == null
                        ? null
                        : new JobSight.Queued(row.queuedId(), queuedSince),
                row.failed(), lostGate, hauntedUntil, manners);
    }
}
