package io.bellwether.lease;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.jspecify.annotations.Nullable;

/**
 * A run under way in this process: the right to run as the work sees it, and the ways to end it. Thread safe.
 *
 * <p>The work runs on one thread; heartbeat and guard tell it to stop from theirs. An interrupt is only sent while the
 * work is in its own code, so that recording the result is not hit by one that came late.
 */
final class LiveRun implements RunLease {
    /** Why a run was told to stop. */
    enum Stop {
        /** It was not. */
        NONE,
        /** The process stops. */
        SHUTDOWN,
        /** It took too long. */
        TIMED_OUT,
        /** Others may run it now. */
        LOST
    }

    private final Claim claim;
    private final String process;
    private final long startedNanos;
    private final Runnable onGivenUp;
    private final AtomicReference<Stop> stop = new AtomicReference<>(Stop.NONE);
    private volatile long lastGoodNanos;
    private volatile String because = "";
    private volatile @Nullable String progress;
    private volatile @Nullable RunResult recorded;
    private volatile boolean overdueRecorded;
    private final AtomicBoolean overdueClaimed = new AtomicBoolean();
    private final AtomicBoolean letGo = new AtomicBoolean();
    private volatile long lostNanos;
    private @Nullable Thread worker;

    /**
     * A run that was just won.
     *
     * @param claim the won claim
     * @param process the name of this process
     * @param claimedNanos {@link System#nanoTime} from before the claim was sent
     * @param onGivenUp what to let go when the run was given up although its thread may hang
     */
    LiveRun(Claim claim, String process, long claimedNanos, Runnable onGivenUp) {
        this.claim = claim;
        this.process = process;
        this.startedNanos = claimedNanos;
        this.onGivenUp = onGivenUp;
        this.lastGoodNanos = claimedNanos;
    }

    Claim claim() {
        return claim;
    }

    /** From here on the calling thread is the worker, and may be interrupted. */
    synchronized void begin() {
        worker = Thread.currentThread();
    }

    /** From here on the worker is not interrupted any more; an interrupt that is under way is swallowed. */
    synchronized void end() {
        worker = null;
        Thread.interrupted();
    }

    /** Tells the work to stop. The first reason stays, but a loss outweighs a shutdown. */
    void tell(Stop why, String sentence) {
        Stop before = stop.getAndUpdate(now -> now == Stop.NONE || now == Stop.SHUTDOWN ? why : now);
        if (before == Stop.NONE || before == Stop.SHUTDOWN && why != Stop.SHUTDOWN) {
            because = sentence;
            if (why == Stop.LOST) {
                lostNanos = System.nanoTime();
            }
        }
        synchronized (this) {
            if (worker != null) {
                worker.interrupt();
            }
        }
    }

    Stop stop() {
        return stop.get();
    }

    /** What it was told when it was told to stop. */
    String because() {
        return because;
    }

    /** A heartbeat that was sent then found the row to be ours. */
    void beaten(long sentNanos) {
        lastGoodNanos = sentNanos;
    }

    Duration silence() {
        return Duration.ofNanos(System.nanoTime() - lastGoodNanos);
    }

    /** For how long it has been lost; zero while it is not. */
    Duration lostFor() {
        long since = lostNanos;
        return stop.get() == Stop.LOST && since != 0 ? Duration.ofNanos(System.nanoTime() - since) : Duration.ZERO;
    }

    /** Lets go what others need, its thread may hang as it likes. Once. */
    void letGo() {
        if (letGo.compareAndSet(false, true)) {
            onGivenUp.run();
        }
    }

    Duration age() {
        return Duration.ofNanos(System.nanoTime() - startedNanos);
    }

    /** What the heartbeat sends. */
    Ledger.Held held() {
        return new Ledger.Held(claim.nonce(), progress);
    }

    /** The result that the work wrote in a transaction of its own, which may have been rolled back. */
    @Nullable
    RunResult recorded() {
        return recorded;
    }

    /** Whether the guard wrote that the run took too long. */
    boolean isOverdueRecorded() {
        return overdueRecorded;
    }

    /** Whether the caller is to write that; nobody else is until {@link #releaseOverdue}. */
    boolean claimOverdue() {
        return overdueClaimed.compareAndSet(false, true);
    }

    /** The caller wrote it, or could not. */
    void releaseOverdue() {
        overdueClaimed.set(false);
    }

    /** Remembers that it was written, and lets go what others need. */
    void overdueRecorded() {
        overdueRecorded = true;
        letGo();
    }

    @Override
    public long runId() {
        return claim.runId();
    }

    @Override
    public long jobId() {
        return claim.jobId();
    }

    @Override
    public String job() {
        return claim.job();
    }

    @Override
    public Instant scheduledAt() {
        return claim.scheduledAt();
    }

    @Override
    public int attempt() {
        return claim.attempt();
    }

    @Override
    public long fence() {
        return claim.fence();
    }

    @Override
    public String process() {
        return process;
    }

    @Override
    public @Nullable String request() {
        return claim.request();
    }

    @Override
    public void checkAlive() throws LeaseLostException, InterruptedException {
        switch (stop.get()) {
            case NONE -> {
                // Go on.
            }
            case LOST -> throw new LeaseLostException(because);
            case SHUTDOWN, TIMED_OUT -> throw new InterruptedException(because);
        }
    }

    @Override
    public void adopt(Connection connection) throws SQLException, LeaseLostException {
        try (PreparedStatement adopt = connection.prepareStatement("""
                update run set backend_pid = pg_backend_pid(), backend_start =
                    (select backend_start from pg_stat_activity where pid = pg_backend_pid())
                where run_id = ? and nonce = ? and state = 'running'""")) {
            adopt.setLong(1, claim.runId());
            adopt.setObject(2, claim.nonce());
            if (!Rows.one(adopt.executeUpdate(), "adoption of a back end")) {
                throw lost("its row is no longer ours");
            }
        }
    }

    @Override
    public void fence(Connection connection) throws SQLException, LeaseLostException {
        JobLock lock = JobLock.await(connection, claim.jobId());
        if (lock == null) {
            throw lost("its job was deleted");
        }
        if (lock.fence() != claim.fence()) {
            throw lost("the job's fence is " + lock.fence() + ", this run's is " + claim.fence());
        }
        try (PreparedStatement query = connection
                .prepareStatement("select state from run where run_id = ? and nonce = ?")) {
            query.setLong(1, claim.runId());
            query.setObject(2, claim.nonce());
            try (ResultSet row = query.executeQuery()) {
                String state = row.next() ? row.getString(1) : RunRows.GONE;
                if (!"running".equals(state)) {
                    throw lost("its row is " + state);
                }
            }
        }
    }

    @Override
    public void finish(Connection connection, RunResult result) throws SQLException, LeaseLostException {
        if (!RunRows.finish(connection, claim.runId(), claim.nonce(), end(result), result.revision())) {
            throw lost("its row is no longer ours");
        }
        recorded = result;
    }

    /** A result as the ledger takes it. */
    static Ledger.End end(RunResult result) {
        return new Ledger.End(result.state().text(), result.upserts(), result.deletes(), result.unchanged(),
                result.reason(), result.candidate());
    }

    @Override
    public void progress(String phase, long rows, long bytes) {
        progress = JsonNodeFactory.instance.objectNode().put("phase", RunRows.storable(phase)).put("rows", rows)
                .put("bytes", bytes).toString();
    }

    @Override
    public void progress(RunProgress now) {
        Duration left = now.left();
        progress = JsonNodeFactory.instance.objectNode().put("phase", RunRows.storable(now.phase()))
                .put("rows", now.rows()).put("bytes", now.bytes())
                .put("rowsPerSecond", Math.round(now.rowsPerSecond()))
                .put("bytesPerSecond", Math.round(now.bytesPerSecond())).put("share", now.share())
                .put("estimatedEnd", left == null ? null : claim.claimedAt().plus(age()).plus(left).toString())
                .toString();
    }

    private LeaseLostException lost(String seen) {
        if (stop.compareAndSet(Stop.NONE, Stop.LOST)) {
            lostNanos = System.nanoTime();
            because = seen;
        }
        return new LeaseLostException(seen);
    }
}
