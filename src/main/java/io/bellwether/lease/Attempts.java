package io.bellwether.lease;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.bellwether.fault.Failpoint;
import io.bellwether.schedule.NextStep;
import io.bellwether.schedule.Step;
import io.bellwether.telemetry.Meters;

/**
 * Takes the steps: asks the gate, claims, runs; each on a thread of its own, so that the timer waits for nobody. Thread
 * safe.
 */
final class Attempts {
    private static final Logger log = LoggerFactory.getLogger(TickService.class);
    private static final Duration AFTER_ERROR = Duration.ofMillis(500);
    private static final Duration AFTER_BUSY = Duration.ofMillis(50);
    /** By the database's clock it is early. That clock, or ours, may be set at any moment, so it is asked again soon. */
    private static final Duration AFTER_EARLY = Duration.ofSeconds(1);
    private static final int RECORDERS = 2;

    private final Ledger ledger;
    private final Gate gate;
    private final Map<String, JobWork> works;
    private final LiveRuns live;
    private final Slots slots;
    private final RunExecution execution;
    private final Meters meters;
    private final Trouble trouble;
    private final InstantSource clock;
    private final String process;
    private final Duration lease;
    private final Runnable wake;
    private final Semaphore recorders = new Semaphore(RECORDERS);
    private final Set<Thread> undecided = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean stopping = new AtomicBoolean();

    /**
     * Nothing under way.
     *
     * @param wake called when the timer should look again
     */
    Attempts(Ledger ledger, Gate gate, Map<String, JobWork> works, LiveRuns live, Slots slots, Meters meters,
            Trouble trouble, InstantSource clock, String process, Duration lease, Runnable wake) {
        this.ledger = ledger;
        this.gate = gate;
        this.works = works;
        this.live = live;
        this.slots = slots;
        this.execution = new RunExecution(ledger, lease, meters);
        this.meters = meters;
        this.trouble = trouble;
        this.clock = clock;
        this.process = process;
        this.lease = lease;
        this.wake = wake;
    }

    /** From here on nothing is begun; a claim that is under way and is won all the same is given back at once. */
    void stop() {
        stopping.set(true);
    }

    boolean isStopping() {
        return stopping.get();
    }

    /** Waits for the steps under way to be decided, not for the runs that were won before. */
    void awaitDecided(Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        for (Thread thread : undecided) {
            thread.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())));
        }
    }

    /**
     * Begins a step, unless the process has its hands full.
     *
     * @return whether it was begun
     */
    boolean begin(JobEntry entry, Step step) {
        if (stopping.get()) {
            return false;
        }
        return switch (step) {
            case Step.Wait wait -> false;
            case Step.Overlapped overlapped -> record(entry, step);
            case Step.Missed missed -> record(entry, step);
            case Step.Paused paused -> record(entry, step);
            case Step.Claim claim -> attempt(entry, step);
            case Step.ClaimQueued queued -> attempt(entry, step);
            case Step.Retry retry -> attempt(entry, step);
            case Step.TakeOver takeOver -> attempt(entry, step);
        };
    }

    private boolean record(JobEntry entry, Step step) {
        if (!recorders.tryAcquire()) {
            return false;
        }
        return decide(entry, Thread.ofVirtual().name("record-" + entry.row().name()).unstarted(() -> {
            try {
                write(entry.row(), step);
                trouble.worked();
            } catch (SQLException e) {
                entry.rest(AFTER_ERROR);
                trouble.failed("job=" + entry.row().name() + " " + step, e);
                log.debug("job={} {} was not recorded", entry.row().name(), step, e);
            } catch (Throwable t) {
                entry.rest(AFTER_ERROR);
                log.error("job={} {} was not recorded", entry.row().name(), step, t);
            } finally {
                recorders.release();
                entry.done();
                undecided.remove(Thread.currentThread());
                wake.run();
            }
        }), recorders::release);
    }

    /**
     * Starts the thread of a step. Where there is none to be had (a limit of the operating system) nothing stays taken,
     * and the job rests.
     *
     * @param undo lets go what was taken for the step
     * @return whether it runs
     */
    boolean decide(JobEntry entry, Thread thread, Runnable undo) {
        entry.begin();
        undecided.add(thread);
        try {
            thread.start();
            return true;
        } catch (Throwable t) {
            undecided.remove(thread);
            undo.run();
            entry.rest(AFTER_ERROR);
            entry.done();
            log.error("job={} no thread could be started for it", entry.row().name(), t);
            return false;
        }
    }

    private void write(JobRow job, Step step) throws SQLException {
        switch (step) {
            case Step.Overlapped(var ticks) when ledger.overlapped(job, ticks) -> ticks.forEach(tick -> {
                meters.tick(job.name(), "overlapped");
                log.info("job={} tick={} overlapped by the run of {}", job.name(), tick,
                        job.running() == null ? "another process" : job.running().process());
            });
            case Step.Missed(var ticks) when ledger.missed(job, ticks) -> stretch(job, "missed", ticks);
            case Step.Paused(var ticks) when ledger.paused(job, ticks) -> stretch(job, "paused", ticks);
            default -> log.debug("job={} {} was recorded by somebody else", job.name(), step);
        }
    }

    private void stretch(JobRow job, String state, Step.Stretch ticks) {
        meters.tick(job.name(), state, ticks.count());
        log.info("job={} tick={} {} ticks={} from={}", job.name(), ticks.last(), state, ticks.count(), ticks.first());
    }

    private boolean attempt(JobEntry entry, Step step) {
        Slots.Slot slot = slots.tryTake();
        if (slot == null) {
            return false;
        }
        return decide(entry, Thread.ofPlatform().name("run-" + entry.row().name()).daemon(true).unstarted(() -> {
            boolean ran = false;
            try {
                ran = attempt(entry, step, slot);
            } catch (SQLException e) {
                entry.rest(AFTER_ERROR);
                trouble.failed("job=" + entry.row().name() + " " + step, e);
                log.debug("job={} {} failed", entry.row().name(), step, e);
            } catch (Throwable t) {
                entry.rest(AFTER_ERROR);
                log.error("job={} {} failed", entry.row().name(), step, t);
            } finally {
                slot.free();
                if (ran) {
                    entry.outdated();
                } else {
                    entry.done();
                }
                undecided.remove(Thread.currentThread());
                wake.run();
            }
        }), slot::free);
    }

    /** Returns whether a run was won and performed; then the step was over when the run began. */
    private boolean attempt(JobEntry entry, Step step, Slots.Slot slot) throws SQLException {
        JobRow job = entry.row();
        Gate.Pass pass = null;
        boolean ghost = false;
        if (!asksGate(step)) {
            ghost = entry.haunted(clock.instant());
        } else {
            switch (gate.tryEnter(job.name())) {
                case Gate.Won(Gate.Pass won) -> pass = won;
                case Gate.Held held -> {
                    if (!(step instanceof Step.TakeOver)) {
                        entry.lost(subject(step), clock.instant());
                        return false;
                    }
                }
                case Gate.Unavailable unavailable -> meters.gate("postgres", "asked");
            }
        }
        try {
            if (pass != null) {
                Failpoint.reach(Failpoint.GATE_WON, job.name());
            }
            if (stopping.get()) {
                return false;
            }
            Ticket ticket = new Ticket(process, UUID.randomUUID(), Gate.used(pass), lease);
            long sentNanos = System.nanoTime();
            ClaimOutcome outcome = claim(job, step, ticket);
            trouble.worked();
            switch (outcome) {
                case ClaimOutcome.Won(Claim claim) when stopping.get() -> {
                    log.info("job={} tick={} was won while stopping, and is given back", job.name(),
                            claim.scheduledAt());
                    GivingBack.all(ledger, List.of(claim));
                }
                case ClaimOutcome.Won(Claim claim) -> {
                    if (ghost) {
                        tellGhost(claim);
                    }
                    Gate.Pass held = pass;
                    pass = null; // The run leaves it.
                    run(entry, claim, held, slot, sentNanos);
                    return true;
                }
                case ClaimOutcome.Lost lost -> log.debug("job={} {} was lost to {}", job.name(), step, lost.to());
                case ClaimOutcome.NotDue(Duration by) -> entry.rest(by.compareTo(AFTER_EARLY) < 0 ? by : AFTER_EARLY);
                case ClaimOutcome.Overlapped overlapped -> {
                    meters.tick(job.name(), "overlapped");
                    log.info("job={} tick={} overlapped by the run before", job.name(), subject(step));
                }
                case ClaimOutcome.Closed(String state, String why) -> {
                    meters.recovery(job.name());
                    log.warn("job={} tick={} {}; no further attempt: {}", job.name(), subject(step, job), state, why);
                }
                case ClaimOutcome.Refused(String why) -> log.debug("job={} {} was refused: {}", job.name(), step, why);
                case ClaimOutcome.Busy busy -> entry.rest(AFTER_BUSY);
            }
            return false;
        } finally {
            if (pass != null) {
                pass.leave();
            }
        }
    }

    private ClaimOutcome claim(JobRow job, Step step, Ticket ticket) throws SQLException {
        return switch (step) {
            case Step.Claim(Instant tick, boolean asked) -> ledger.claim(job, tick, ticket);
            case Step.ClaimQueued(long runId, Instant since, boolean asked) ->
                ledger.claimQueued(job, runId, ticket);
            case Step.Retry(Instant tick, int attempt, boolean asked) -> ledger.retry(job, tick, attempt, ticket);
            case Step.TakeOver(long runId, boolean superseded) ->
                ledger.takeOver(job, runId, superseded, ticket);
            default -> throw new IllegalStateException("not a claim: " + step);
        };
    }

    private void run(JobEntry entry, Claim claim, Gate.@Nullable Pass pass, Slots.Slot slot, long sentNanos) {
        LiveRun run = new LiveRun(claim, process, sentNanos, () -> {
            slot.hang();
            if (pass != null) {
                pass.leave();
            }
        });
        live.add(run);
        undecided.remove(Thread.currentThread());
        // From here on the job is watched again: ticks that become due during the run are recorded by whoever sees them.
        entry.done();
        wake.run();
        try {
            tellWon(claim);
            Failpoint.reach(claim.kind().equals("take-over")
                    ? Failpoint.TAKE_OVER_COMMITTED
                    : Failpoint.CLAIM_COMMITTED, claim.job());
            execution.perform(run, Objects.requireNonNull(works.get(claim.jobKind())));
            Failpoint.reach(Failpoint.RUN_FINISHED, claim.job());
        } finally {
            // The gate first: a stop waits for the run alone, and what is not let go by then stays behind for a lease.
            if (pass != null) {
                pass.leave();
            }
            live.remove(run);
        }
    }

    private void tellWon(Claim claim) {
        Duration lag = Duration.between(claim.scheduledAt(), claim.claimedAt());
        if (claim.kind().equals("take-over")) {
            meters.recovery(claim.job());
        } else if (claim.attempt() == 1) {
            meters.tick(claim.job(), "won");
            meters.startLag(claim.job(), lag);
        }
        log.info("job={} tick={} started attempt={} kind={} gate={} fence={} lag={}ms", claim.job(),
                claim.scheduledAt(), claim.attempt(), claim.kind(), claim.gate(), claim.fence(), lag.toMillis());
    }

    /** Told by the process that went past it, and not again while the gate is not asked. */
    private void tellGhost(Claim claim) {
        meters.gate("redis", "ghost");
        log.info(
                "job={} tick={} the gate was held for {} s and nobody ran: its holder is dead or slow; claimed without the"
                        + " gate, which is not asked again for {} s",
                claim.job(), claim.scheduledAt(), NextStep.LOOK.toSeconds(),
                NextStep.HAUNTED.toSeconds());
    }

    private static boolean asksGate(Step step) {
        return switch (step) {
            case Step.Claim(Instant tick, boolean asks) -> asks;
            case Step.ClaimQueued(long runId, Instant since, boolean asks) -> asks;
            case Step.Retry(Instant tick, int attempt, boolean asks) -> asks;
            default -> true;
        };
    }

    private static Instant subject(Step step) {
        return switch (step) {
            case Step.Claim(Instant tick, boolean asks) -> tick;
            case Step.ClaimQueued(long runId, Instant since, boolean asks) -> since;
            case Step.Retry(Instant tick, int attempt, boolean asks) -> tick;
            default -> Instant.MIN;
        };
    }

    private static Instant subject(Step step, JobRow job) {
        return job.running() == null ? subject(step) : job.running().scheduledAt();
    }
}
