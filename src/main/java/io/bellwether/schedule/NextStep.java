package io.bellwether.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The rule of the tick: from what a process sees of a job to what it does next. Pure.
 *
 * <p>Ticks are accounted for in their order, each exactly once: by an attempt, as overlapped, or in the count of a missed
 * or paused row. A tick that was due already when the running run was claimed waits its turn; one that became due during
 * the run is overlapped. A backlog with ticks older than the grace is a misfire as a whole: coalesced, it gets one run, of
 * its newest tick, rather than a late one followed by those of the last seconds.
 */
public final class NextStep {
    /** How long after a lost gate the process looks whether anybody ran the tick. */
    public static final Duration LOOK = Duration.ofSeconds(2);

    /**
     * How long after the end of a dead run's lease its ticks still count as overlapped: long enough for any live process
     * to have taken it over. Later ticks mean that nobody was there, and replace the run.
     */
    public static final Duration TAKE_OVER_TIME = Duration.ofSeconds(10);

    /**
     * How long a gate that was held although nobody ran is not asked again: a lock that outlived its owner would cost
     * every tick of a short schedule those two seconds, and a backlog could not be worked off.
     */
    public static final Duration HAUNTED = Duration.ofSeconds(10);

    /** Attempts at one tick, the first included. */
    public static final int MAX_ATTEMPTS = 3;

    /** The pause before a failed tick is tried again, times the tries so far. */
    public static final Duration RETRY_PAUSE = Duration.ofSeconds(30);

    /** How many ticks one step looks at; a longer backlog takes several steps. */
    public static final int CHUNK = 10_000;

    private static final int MAX_OVERLAPPED = 500;

    private NextStep() {}

    /**
     * What to do next.
     *
     * @param job what the process sees
     * @param now by the database's clock
     */
    public static Step of(JobSight job, Instant now) {
        if (job.running() != null) {
            return besides(job, job.running(), now);
        }
        if (job.queued() != null) {
            Instant since = job.queued().since();
            if (!isHeldLately(job, since, now)) {
                return new Step.ClaimQueued(job.queued().runId(), since, asksGate(job, since, now));
            }
        }
        Step step = job.enabled() ? ticks(job, now) : new Step.Wait(Instant.MAX);
        return job.queued() != null && step instanceof Step.Wait(Instant until)
                ? new Step.Wait(earlier(until, lookAt(job)))
                : step;
    }

    /** While a run is under way. */
    private static Step besides(JobSight job, JobSight.Running running, Instant now) {
        Instant covered = running.leaseUntil().plus(TAKE_OVER_TIME);
        Instant first = job.enabled() ? job.schedule().next(job.cursor()) : null;
        Instant takeOverAt = running.handedOver()
                ? running.leaseUntil()
                : running.leaseUntil().plus(job.manners().takeOverPatience());
        if (!now.isBefore(takeOverAt)) {
            return new Step.TakeOver(running.runId(), !running.manual() && isNewerDue(job, first, covered, now));
        }
        if (first != null && first.isAfter(running.claimedAt()) && !first.isAfter(covered)) {
            if (isPaused(job, first)) {
                return first.isAfter(now) ? new Step.Wait(earlier(first, takeOverAt)) : paused(job, now);
            }
            List<Instant> due = job.schedule().ticksBetween(job.cursor(), earlier(now, covered), MAX_OVERLAPPED);
            if (!due.isEmpty()) {
                return new Step.Overlapped(due);
            }
            return new Step.Wait(earlier(first, takeOverAt));
        }
        return new Step.Wait(takeOverAt);
    }

    private static boolean isNewerDue(JobSight job, @Nullable Instant first, Instant covered, Instant now) {
        if (first == null || first.isAfter(now)) {
            return false;
        }
        Instant newer = first.isAfter(covered) ? first : job.schedule().next(covered);
        return newer != null && !newer.isAfter(now) && !isPaused(job, newer);
    }

    /** Nothing is under way. */
    private static Step ticks(JobSight job, Instant now) {
        Instant first = job.schedule().next(job.cursor());
        if (first == null) {
            return retryOrWait(job, Instant.MAX, now);
        }
        if (first.isAfter(now)) {
            return retryOrWait(job, first, now);
        }
        if (isPaused(job, first)) {
            return paused(job, now);
        }
        if (Duration.between(first, now).compareTo(job.misfire().grace()) > 0) {
            Step step = misfire(job, now);
            if (step != null) {
                return step;
            }
        }
        if (isHeldLately(job, first, now)) {
            return new Step.Wait(lookAt(job));
        }
        boolean gate = asksGate(job, first, now);
        Instant tryAt = gate ? first.plus(job.manners().holdBack()) : first;
        return now.isBefore(tryAt) ? new Step.Wait(tryAt) : new Step.Claim(first, gate);
    }

    private static Step retryOrWait(JobSight job, Instant next, Instant now) {
        JobSight.Failed failed = job.failed();
        if (failed == null || failed.tries() >= MAX_ATTEMPTS || isPaused(job, now)) {
            return new Step.Wait(next);
        }
        Duration pause = RETRY_PAUSE.multipliedBy(failed.tries());
        Instant at = failed.finishedAt().plus(pause);
        if (!next.equals(Instant.MAX) && next.isBefore(at.plus(RETRY_PAUSE))) {
            return new Step.Wait(next);
        }
        if (now.isBefore(at)) {
            return new Step.Wait(at);
        }
        // A gate that was lost before the tick failed was held by whoever ran it, and says nothing about this attempt.
        boolean lost = job.lostGate() != null && !job.lostGate().at().isBefore(failed.finishedAt());
        if (lost && isHeldLately(job, failed.tick(), now)) {
            return new Step.Wait(earlier(next, lookAt(job)));
        }
        boolean gate = !isHaunted(job, now) && !(lost && wasHeld(job, failed.tick()));
        return new Step.Retry(failed.tick(), failed.attempt() + 1, gate);
    }

    private static Step paused(JobSight job, Instant now) {
        Instant until = job.pausedUntil() == null ? now : earlier(job.pausedUntil(), now);
        return new Step.Paused(Step.Stretch.of(job.schedule().ticksBetween(job.cursor(), until, CHUNK)));
    }

    /** Null when the first due tick is to be run. */
    private static @Nullable Step misfire(JobSight job, Instant now) {
        List<Instant> due = job.schedule().ticksBetween(job.cursor(), now, CHUNK + 1);
        if (job.misfire().kind() == MisfirePolicy.Kind.SKIP) {
            Instant fresh = now.minus(job.misfire().grace());
            List<Instant> late = due.stream().filter(tick -> tick.isBefore(fresh)).limit(CHUNK).toList();
            return new Step.Missed(Step.Stretch.of(late));
        }
        if (due.size() > CHUNK) {
            // What is left for the next step is thousands of ticks: were it the last seconds' alone, it would no longer be
            // a misfire, and each of them would be run.
            return new Step.Missed(Step.Stretch.of(due.subList(0, CHUNK / 2)));
        }
        if (Duration.between(due.getLast(), now).compareTo(job.misfire().window()) > 0) {
            return new Step.Missed(Step.Stretch.of(due));
        }
        return due.size() == 1 ? null : new Step.Missed(Step.Stretch.of(due.subList(0, due.size() - 1)));
    }

    private static boolean isPaused(JobSight job, Instant tick) {
        return job.pausedUntil() != null && !tick.isAfter(job.pausedUntil());
    }

    private static boolean wasHeld(JobSight job, Instant subject) {
        return job.lostGate() != null && job.lostGate().subject().equals(subject);
    }

    private static boolean asksGate(JobSight job, Instant subject, Instant now) {
        return !isHaunted(job, now) && !wasHeld(job, subject);
    }

    private static boolean isHaunted(JobSight job, Instant now) {
        return job.gateHauntedUntil() != null && now.isBefore(job.gateHauntedUntil());
    }

    private static boolean isHeldLately(JobSight job, Instant subject, Instant now) {
        return wasHeld(job, subject) && now.isBefore(lookAt(job));
    }

    private static Instant lookAt(JobSight job) {
        return job.lostGate() == null ? Instant.MAX : job.lostGate().at().plus(LOOK);
    }

    private static Instant earlier(Instant a, Instant b) {
        return a.isBefore(b) ? a : b;
    }
}
