package io.bellwether.lease;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The right to run one attempt of one tick, as the work sees it. Thread safe. Kept alive by a heartbeat elsewhere.
 */
public interface RunLease {
    /** The row in {@code run}. */
    long runId();

    /** The row in {@code job}. */
    long jobId();

    /** The job's name; the refresh job of a set bears the set's name. */
    String job();

    /** The tick: its scheduled instant. */
    Instant scheduledAt();

    /** From 1. */
    int attempt();

    /** The job's fence that this run holds. */
    long fence();

    /** The name of this process. */
    String process();

    /**
     * What a manual run was asked to do (an approval, a rollback), as the JSON text it was queued with; null for what the
     * job does on a tick. A take-over asks for the same.
     */
    default @Nullable String request() {
        return null;
    }

    /**
     * Throws when the run is no longer ours or was told to stop; cheap, to be called between steps.
     *
     * @throws LeaseLostException if the heartbeat lost the row
     * @throws InterruptedException if the run was told to stop
     */
    void checkAlive() throws LeaseLostException, InterruptedException;

    /**
     * Records the back end of {@code connection} as the one that works for this run, so that whoever takes the run over
     * can end a transaction that a paused process left open. To be called in auto-commit mode before the publishing
     * transaction begins on that connection.
     *
     * @throws LeaseLostException if the run is no longer ours
     */
    void adopt(Connection connection) throws SQLException, LeaseLostException;

    /**
     * Locks the job's row in the publishing transaction and compares the fence, the run's state and its nonce. From here
     * to COMMIT nobody else can claim, take over or publish for this job, so it comes as late as possible.
     *
     * @throws LeaseLostException if the run is no longer ours; the transaction must be rolled back
     */
    void fence(Connection connection) throws SQLException, LeaseLostException;

    /**
     * Records the result in the publishing transaction, after {@link #fence} and as one of its last statements.
     *
     * @throws LeaseLostException if the row was not updated exactly once; the transaction must be rolled back
     */
    void finish(Connection connection, RunResult result) throws SQLException, LeaseLostException;

    /**
     * Says where the run is, for people. Never throws, never waits for the database.
     *
     * @param phase a short word
     * @param rows policies so far
     * @param bytes of the feed so far
     */
    void progress(String phase, long rows, long bytes);

    /** As {@link #progress(String, long, long)}, with its rate and when it may end. */
    default void progress(RunProgress progress) {
        progress(progress.phase(), progress.rows(), progress.bytes());
    }
}
