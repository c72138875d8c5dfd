package io.bellwether.refresh;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.ReentrantLock;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.bellwether.lease.LeaseLostException;
import io.bellwether.lease.RunLease;
import io.bellwether.lease.RunProgress;
import io.bellwether.lifecycle.Periodic;
import io.bellwether.telemetry.Meters;

/**
 * Watches over the thread of one refresh while that is busy: asks whether the run is still ours, says where it is, and
 * ends what it waits for (a statement, a read of the feed) when the run is lost or told to stop.
 *
 * <p>A thread that waits for PostgreSQL sees neither an interrupt nor a lost lease; so its connection is cut, which the
 * server notices within a second ({@link StagingConnection}), and what the thread then gets to see as an
 * {@link SQLException} is explained by {@link #check}.
 */
final class RunWatch implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RunWatch.class);
    private static final Duration STEP = Duration.ofMillis(200);
    private static final long LOG_EVERY_NANOS = Duration.ofSeconds(5).toNanos();

    private final RunLease lease;
    private final Meters meters;
    private final Pace pace;
    private final Thread worker = Thread.currentThread();
    private final Periodic periodic;
    private final ReentrantLock lock = new ReentrantLock();
    @GuardedBy("lock")
    private final List<Connection> connections = new ArrayList<>();
    @GuardedBy("lock")
    private boolean closed;
    private volatile @Nullable Exception loss;
    private volatile String phase = "fetch";
    private volatile long rows;
    private volatile long bytes;
    private volatile double share;
    private volatile long hurriesFromNanos = System.nanoTime();
    private volatile long phaseSinceNanos = System.nanoTime();
    private long loggedNanos = phaseSinceNanos;

    /**
     * Watches over the calling thread, until closed by it.
     *
     * @param meters show where the refresh is
     * @param pace of all runs of the process
     */
    RunWatch(RunLease lease, Meters meters, Pace pace) {
        this.lease = lease;
        this.meters = meters;
        this.pace = pace;
        this.periodic = new Periodic("refresh-watch-" + lease.job(), STEP, this::pass);
        periodic.start();
    }

    /** From now on this connection is cut when the run is lost, if it is still open then; at once if it is lost already. */
    void guard(Connection dedicated) {
        lock.lock();
        try {
            connections.add(dedicated);
            if (loss != null) {
                dedicated.abort(Runnable::run);
            }
        } catch (SQLException e) {
            log.debug("{}: the connection could not be cut", lease.job(), e);
        } finally {
            lock.unlock();
        }
    }

    /** The run may take so long, from now on; once half of it is gone, it does not rest for anybody. */
    void limit(Duration maxRuntime) {
        hurriesFromNanos = System.nanoTime() + maxRuntime.dividedBy(2).toNanos();
    }

    /** For a thread that works for the refresh; one for each. */
    Pace.Steps steps() {
        return pace.steps(() -> System.nanoTime() - hurriesFromNanos > 0);
    }

    /** The refresh enters a phase. */
    void enter(String name) {
        rows = 0;
        bytes = 0;
        share = 0;
        phaseSinceNanos = System.nanoTime();
        phase = name;
        lease.progress(name, 0, 0);
    }

    /** How far the phase has come; cheap enough for every row. */
    void at(long rowsSoFar, long bytesSoFar) {
        at(rowsSoFar, bytesSoFar, 0);
    }

    /**
     * As {@link #at(long, long)}.
     *
     * @param done how much of the phase is done, 0 to 1; 0 where nobody can tell
     */
    void at(long rowsSoFar, long bytesSoFar, double done) {
        rows = rowsSoFar;
        bytes = bytesSoFar;
        share = Math.min(done, 1);
    }

    /** Records how long the phase took. */
    void phaseOver(String set) {
        meters.refreshPhase(set, phase, inPhase());
    }

    /** How long the phase has taken so far. */
    Duration inPhase() {
        return Duration.ofNanos(System.nanoTime() - phaseSinceNanos);
    }

    /**
     * Throws when the run is not to go on. To be called between steps, and first of all when anything failed: that the
     * run was lost is then why.
     */
    void check() throws LeaseLostException, InterruptedException {
        switch (loss) {
            case null -> {
                if (Thread.interrupted()) {
                    throw new InterruptedException("the refresh was told to stop in phase " + phase);
                }
            }
            case LeaseLostException lost -> throw new LeaseLostException(String.valueOf(lost.getMessage()));
            case InterruptedException stop -> throw new InterruptedException(stop.getMessage());
            default -> throw new InterruptedException("the refresh was ended in phase " + phase);
        }
    }

    private Duration pass() {
        if (loss == null) {
            try {
                lease.checkAlive();
                if (worker.isInterrupted()) {
                    throw new InterruptedException("the refresh was told to stop in phase " + phase);
                }
            } catch (LeaseLostException | InterruptedException e) {
                end(e);
            }
        }
        long now = System.nanoTime();
        RunProgress progress = RunProgress.of(phase, rows, bytes, inPhase(), share);
        lease.progress(progress);
        Duration left = progress.left();
        meters.refreshProgress(lease.job(), progress.rows(), progress.bytes(), share,
                left == null ? 0 : (double) left.toMillis() / 1000);
        if (now - loggedNanos >= LOG_EVERY_NANOS) {
            loggedNanos = now;
            log.info("{}: {}", lease.job(), words(progress));
        }
        return STEP;
    }

    /** For the log, such as {@code diff, 41,000 policies, 33.1 MB so far, 8,200 policies/s, 6.6 MB/s, 40 %, 8 s left}. */
    static String words(RunProgress progress) {
        Duration left = progress.left();
        Double done = progress.share();
        return String.format(Locale.ROOT, "%s, %,d policies, %,.1f MB so far, %,.0f policies/s, %,.1f MB/s",
                progress.phase(), progress.rows(), (double) progress.bytes() / 1e6, progress.rowsPerSecond(),
                progress.bytesPerSecond() / 1e6)
                + (left == null || done == null
                        ? ""
                        : String.format(Locale.ROOT, ", %.0f %%, about %d s left", done * 100, left.toSeconds()));
    }

    private void end(Exception why) {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            loss = why;
            worker.interrupt();
            for (Connection connection : connections) {
                connection.abort(Runnable::run);
            }
        } catch (SQLException e) {
            log.debug("{}: the connection could not be cut", lease.job(), e);
        } finally {
            lock.unlock();
        }
    }

    /** Ends the watch. An interrupt that came from the watch itself is taken back. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        boolean interrupted = Thread.interrupted();
        periodic.stop(Duration.ofSeconds(5));
        meters.refreshProgress(lease.job(), 0, 0, 0, 0);
        if (interrupted && loss == null) {
            worker.interrupt();
        }
    }
}
