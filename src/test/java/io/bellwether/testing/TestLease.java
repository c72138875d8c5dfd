package io.bellwether.testing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.bellwether.database.Database;
import io.bellwether.lease.LeaseLostException;
import io.bellwether.lease.RunLease;
import io.bellwether.lease.RunResult;

/**
 * A lease on real rows of {@code job} and {@code run}, without gate and heartbeat, for tests of works. It has switches
 * for what a test wants to happen to it. Thread safe.
 */
public final class TestLease implements RunLease {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final Database database;
    private final long runId;
    private final long jobId;
    private final String job;
    private final Instant scheduledAt;
    private final long fence;
    private final UUID nonce;
    private volatile @Nullable String request;
    private volatile boolean lost;
    private volatile boolean stopped;
    private volatile Consumer<String> onProgress = phase -> {};
    private volatile @Nullable Runnable beforeFence;

    private TestLease(Database database, long runId, long jobId, String job, Instant scheduledAt, long fence,
            UUID nonce) {
        this.database = database;
        this.runId = runId;
        this.jobId = jobId;
        this.job = job;
        this.scheduledAt = scheduledAt;
        this.fence = fence;
        this.nonce = nonce;
    }

    /** Claims a tick of its own for the job: a running row, the fence raised. */
    public static TestLease claim(Database database, long jobId) throws SQLException {
        UUID nonce = UUID.randomUUID();
        return database.<TestLease, RuntimeException>inTransaction("test claim", LIMIT, connection -> {
            try (PreparedStatement claim = connection.prepareStatement("""
                    with raised as (update job set fence = fence + 1 where job_id = ? returning job_id, name, fence)
                    insert into run (job_id, kind, scheduled_at, state, process, fence, gate, nonce, lease_until,
                        claimed_at)
                    select job_id, 'cron', clock_timestamp(), 'running', 'test', fence, 'postgres', ?,
                        clock_timestamp() + interval '30 seconds', clock_timestamp() from raised
                    returning run_id, scheduled_at, fence, (select name from raised)""")) {
                claim.setLong(1, jobId);
                claim.setObject(2, nonce);
                try (ResultSet row = claim.executeQuery()) {
                    row.next();
                    return new TestLease(database, row.getLong(1), jobId, row.getString(4),
                            row.getObject(2, OffsetDateTime.class).toInstant(), row.getLong(3), nonce);
                }
            }
        });
    }

    /** Records a result that the work did not record itself, as the tick protocol does. */
    public void record(RunResult result) throws SQLException {
        database.<Integer, RuntimeException>inTransaction("test result", LIMIT,
                connection -> write(connection, result));
    }

    /** Closes the row as abandoned and raises the fence, as a take-over does. */
    public void takeOver() throws SQLException {
        database.<Boolean, RuntimeException>inTransaction("test take-over", LIMIT, connection -> {
            try (PreparedStatement close = connection.prepareStatement("update run set state = 'abandoned',"
                    + " lease_until = null, finished_at = clock_timestamp() where run_id = ? and state = 'running'");
                    PreparedStatement raise = connection
                            .prepareStatement("update job set fence = fence + 1 where job_id = ?")) {
                close.setLong(1, runId);
                close.executeUpdate();
                raise.setLong(1, jobId);
                raise.executeUpdate();
                return true;
            }
        });
    }

    /** From now on {@link #checkAlive} says that the run is lost. */
    public void lose() {
        lost = true;
    }

    /** From now on {@link #checkAlive} says that the run was told to stop. */
    public void tellToStop() {
        stopped = true;
    }

    /** What the run is asked to do. */
    public TestLease asking(@Nullable String json) {
        request = json;
        return this;
    }

    /** Hears the phase of every {@link #progress}, on the work's thread. */
    public TestLease onProgress(Consumer<String> listener) {
        onProgress = listener;
        return this;
    }

    /** Runs once, right before the fence is checked. */
    public TestLease beforeFence(Runnable action) {
        beforeFence = action;
        return this;
    }

    /** The state in the run's row. */
    public String state() throws SQLException {
        return database.<String, RuntimeException>inTransaction("test state", LIMIT, connection -> {
            try (PreparedStatement query = connection.prepareStatement("select state from run where run_id = ?")) {
                query.setLong(1, runId);
                try (ResultSet row = query.executeQuery()) {
                    row.next();
                    return Objects.requireNonNull(row.getString(1));
                }
            }
        });
    }

    @Override
    public long runId() {
        return runId;
    }

    @Override
    public long jobId() {
        return jobId;
    }

    @Override
    public String job() {
        return job;
    }

    @Override
    public Instant scheduledAt() {
        return scheduledAt;
    }

    @Override
    public int attempt() {
        return 1;
    }

    @Override
    public long fence() {
        return fence;
    }

    @Override
    public @Nullable String request() {
        return request;
    }

    @Override
    public String process() {
        return "test";
    }

    @Override
    public void checkAlive() throws LeaseLostException, InterruptedException {
        if (lost) {
            throw new LeaseLostException("the test took the run away");
        }
        if (stopped) {
            throw new InterruptedException("the test told the run to stop");
        }
    }

    @Override
    public void adopt(Connection connection) throws SQLException, LeaseLostException {
        try (PreparedStatement adopt = connection.prepareStatement("""
                update run set backend_pid = pg_backend_pid(), backend_start =
                    (select backend_start from pg_stat_activity where pid = pg_backend_pid())
                where run_id = ? and nonce = ? and state = 'running'""")) {
            adopt.setLong(1, runId);
            adopt.setObject(2, nonce);
            one(adopt.executeUpdate());
        }
    }

    @Override
    public void fence(Connection connection) throws SQLException, LeaseLostException {
        Runnable action = beforeFence;
        beforeFence = null;
        if (action != null) {
            action.run();
        }
        try (PreparedStatement query = connection.prepareStatement("""
                select 1 from job j join run r using (job_id) where j.job_id = ? and j.fence = ? and r.run_id = ?
                    and r.nonce = ? and r.state = 'running' for update of j""")) {
            query.setLong(1, jobId);
            query.setLong(2, fence);
            query.setLong(3, runId);
            query.setObject(4, nonce);
            try (ResultSet row = query.executeQuery()) {
                one(row.next() ? 1 : 0);
            }
        }
    }

    @Override
    public void finish(Connection connection, RunResult result) throws SQLException, LeaseLostException {
        one(write(connection, result));
    }

    @Override
    public void progress(String phase, long rows, long bytes) {
        onProgress.accept(phase);
    }

    private int write(Connection connection, RunResult result) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("""
                update run set state = ?, revision = ?, upserts = ?, deletes = ?, unchanged = ?, reason = ?,
                    candidate = ?, lease_until = null, finished_at = clock_timestamp()
                where run_id = ? and nonce = ? and state = 'running'""")) {
            update.setString(1, result.state().text());
            update.setObject(2, result.revision(), java.sql.Types.BIGINT);
            update.setLong(3, result.upserts());
            update.setLong(4, result.deletes());
            update.setLong(5, result.unchanged());
            update.setString(6, result.reason());
            update.setBytes(7, result.candidate() == null ? null : result.candidate().bytes());
            update.setLong(8, runId);
            update.setObject(9, nonce);
            return update.executeUpdate();
        }
    }

    private static void one(int rows) throws LeaseLostException {
        if (rows != 1) {
            throw new LeaseLostException("the run's row is no longer ours");
        }
    }
}
