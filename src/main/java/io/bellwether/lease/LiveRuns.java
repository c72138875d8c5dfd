package io.bellwether.lease;

import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.bellwether.lifecycle.Periodic;

/**
 * The runs under way in this process: keeps their leases, and ends those that lost theirs or take too long. Thread safe.
 *
 * <p>Heartbeat and guard have a thread each, so that a database that does not answer keeps nobody from being stopped: a
 * run without a good heartbeat for two thirds of a lease stops by itself, a third of a lease before anybody may take it
 * over.
 */
final class LiveRuns {
    private static final Logger log = LoggerFactory.getLogger(LiveRuns.class);
    private static final Duration GUARD = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    private final Ledger ledger;
    private final Duration lease;
    private final Trouble trouble;
    private final Map<Long, LiveRun> runs = new ConcurrentHashMap<>();
    private final Periodic heartbeat;
    private final Periodic guard = new Periodic("run-guard", GUARD, this::guard);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    LiveRuns(Ledger ledger, Duration lease, Trouble trouble) {
        this.ledger = ledger;
        this.lease = lease;
        this.trouble = trouble;
        this.heartbeat = new Periodic("heartbeat", pause(lease).dividedBy(2), this::beat);
    }

    void start() {
        heartbeat.start();
        guard.start();
    }

    /** Ends heartbeat and guard; after the runs. */
    void stop() {
        guard.stop(Duration.ofSeconds(1));
        heartbeat.stop(Duration.ofSeconds(1));
    }

    void add(LiveRun run) {
        runs.put(run.runId(), run);
    }

    void remove(LiveRun run) {
        lock.lock();
        try {
            runs.remove(run.runId());
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    List<LiveRun> all() {
        return List.copyOf(runs.values());
    }

    /** Waits until none is left; returns whether that is so. */
    boolean awaitNone(Duration atMost) throws InterruptedException {
        long left = atMost.toNanos();
        lock.lock();
        try {
            while (!runs.isEmpty() && left > 0) {
                left = changed.awaitNanos(left);
            }
            return runs.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    private Duration beat() {
        Map<Long, Ledger.Held> held = new HashMap<>();
        runs.forEach((id, run) -> {
            // One that was lost has stopped, or will; renewed all the same it would keep everybody out if its thread hangs.
            if (run.stop() != LiveRun.Stop.LOST) {
                held.put(id, run.held());
            }
        });
        if (!held.isEmpty()) {
            long sent = System.nanoTime();
            Map<Long, Boolean> answers;
            try {
                answers = ledger.beat(held, lease);
                trouble.worked();
            } catch (SQLException e) {
                trouble.failed("a heartbeat", e);
                log.debug("no heartbeat arrived", e);
                return pause(lease).dividedBy(2);
            }
            answers.forEach((id, ours) -> {
                LiveRun run = runs.get(id);
                if (run != null && ours) {
                    run.beaten(sent);
                } else if (run != null) {
                    run.tell(LiveRun.Stop.LOST, "the heartbeat found its row closed by somebody else");
                }
            });
        }
        return pause(lease);
    }

    /** From a heartbeat to the next: it also carries where the runs are, which people watch. */
    static Duration pause(Duration lease) {
        Duration quarter = lease.dividedBy(4);
        return quarter.compareTo(LONGEST_PAUSE) < 0 ? quarter : LONGEST_PAUSE;
    }

    private Duration guard() {
        for (LiveRun run : runs.values()) {
            boolean overdue = run.age().compareTo(run.claim().maxRuntime()) > 0;
            if (overdue) {
                run.tell(LiveRun.Stop.TIMED_OUT, "it ran longer than " + run.claim().maxRuntime());
            }
            if (run.silence().compareTo(lease.multipliedBy(2).dividedBy(3)) > 0) {
                run.tell(LiveRun.Stop.LOST, "no heartbeat arrived for " + run.silence().toSeconds() + " s");
            }
            if (run.lostFor().compareTo(lease) > 0) {
                run.letGo();
            }
            if (overdue && !run.isOverdueRecorded() && run.claimOverdue()) {
                // On a thread of its own: a database that does not answer keeps no other run from being stopped.
                Thread.ofVirtual().name("overdue-" + run.job()).start(() -> recordOverdue(run));
            }
        }
        return GUARD;
    }

    /** Not left to the run's thread, which may hang; the next tick can run from here on. */
    private void recordOverdue(LiveRun run) {
        try {
            String state = ledger.finish(run.claim(),
                    Ledger.End.of("timed-out", "it ran longer than " + run.claim().maxRuntime()), true);
            run.overdueRecorded();
            log.warn("job={} tick={} ran longer than {} and is told to stop; its row is {}", run.job(),
                    run.scheduledAt(),
                    run.claim().maxRuntime(), state);
        } catch (SQLException e) {
            log.debug("job={} tick={} ran too long; its row does not say so yet", run.job(), run.scheduledAt(), e);
        } finally {
            run.releaseOverdue();
        }
    }

    /** For tests that make a process fall silent: no heartbeat from here on. */
    void silence() {
        heartbeat.stop(Duration.ofSeconds(1));
    }
}
