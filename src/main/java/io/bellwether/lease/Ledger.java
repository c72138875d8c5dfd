package io.bellwether.lease;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.bellwether.policy.Sha256;
import io.bellwether.schedule.Step;

/**
 * The rows that decide who did. Every method is one short transaction that checks its premise again under the job's row
 * lock; losing a race is an answer, never an error. Thread safe.
 *
 * <p>Every method throws {@link SQLException} when the database is away or refuses; nothing was done then, or the rows
 * say what.
 */
interface Ledger {
    /** All jobs, as of now. */
    List<JobRow> look() throws SQLException;

    /** Wins a tick of the schedule, or says why not. */
    ClaimOutcome claim(JobRow job, Instant tick, Ticket ticket) throws SQLException;

    /** Wins a manual run that waits. */
    ClaimOutcome claimQueued(JobRow job, long runId, Ticket ticket) throws SQLException;

    /** Wins another attempt at the tick at the cursor, which failed. */
    ClaimOutcome retry(JobRow job, Instant tick, int attempt, Ticket ticket) throws SQLException;

    /**
     * Closes a run whose lease is over and, unless it is superseded or had its attempts, wins the next attempt.
     *
     * @param superseded whether a newer tick is due; a run that somebody asked for is not superseded all the same
     */
    ClaimOutcome takeOver(JobRow job, long runId, boolean superseded, Ticket ticket) throws SQLException;

    /**
     * Records ticks that became due during a run.
     *
     * @return whether we did; otherwise somebody else did, or the job changed
     */
    boolean overlapped(JobRow job, List<Instant> ticks) throws SQLException;

    /** Counts ticks that are too late. Returns as {@link #overlapped}. */
    boolean missed(JobRow job, Step.Stretch ticks) throws SQLException;

    /** Counts ticks that became due during a pause. Returns as {@link #overlapped}. */
    boolean paused(JobRow job, Step.Stretch ticks) throws SQLException;

    /**
     * Extends the leases of runs that are still ours.
     *
     * @param runs by run id
     * @return for each whether it is; a missing one could not be told, because its row was locked
     */
    Map<Long, Boolean> beat(Map<Long, Held> runs, Duration lease) throws SQLException;

    /**
     * Records how a run ended, if it is still ours.
     *
     * @param end its state and counts
     * @param endBackend whether a transaction that the run left open is ended, too
     * @return the state in the row now, which is the given one unless somebody else closed it before
     */
    String finish(Claim run, End end, boolean endBackend) throws SQLException;

    /**
     * Turns the row of a run that others closed as dead into {@code fenced}: its process came back and was kept out.
     *
     * @return the state in the row now
     */
    String fenced(Claim run, String reason) throws SQLException;

    /**
     * Ends the lease of a run that is still ours, so that a peer takes it over at once.
     *
     * @param handedOver whether the attempt does not count, because we were told to stop
     * @return whether it was ours to give back
     */
    boolean giveBack(Claim run, boolean handedOver) throws SQLException;

    /** The state in the run's row. */
    String state(Claim run) throws SQLException;

    /**
     * Finds out whether a transaction of the run was committed whose answer was lost. Waits for it to end.
     *
     * @return the state in the row
     */
    String settle(Claim run) throws SQLException;

    /**
     * A run as the heartbeat sees it.
     *
     * @param nonce of its claim
     * @param progress where it is, as JSON text, or null
     */
    record Held(UUID nonce, @Nullable String progress) {}

    /**
     * How a run ended.
     *
     * @param state as stored
     * @param upserts policies put
     * @param deletes policies deleted
     * @param unchanged policies found as they were
     * @param reason one sentence, or null
     * @param candidate the hash of what was refused, or null
     */
    record End(String state, long upserts, long deletes, long unchanged, @Nullable String reason,
            @Nullable Sha256 candidate) {
        /** Without counts. */
        static End of(String state, String reason) {
            return new End(state, 0, 0, 0, reason, null);
        }
    }
}
