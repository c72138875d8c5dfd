package io.bellwether.lease;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.bellwether.schedule.NextStep;

/** Closing a dead run and winning its next attempt, inside transactions. Stateless. */
final class TakeOvers {
    /** How often a run may be handed over by processes that stop, on top of its attempts. */
    private static final int MAX_ROWS = 20;

    private record Dead(Instant tick, int attempt, boolean manual, String process, Instant leaseUntil,
            boolean handedOver, @Nullable String request) {}

    private TakeOvers() {}

    /**
     * Ends the back end that a run left in a transaction, which may hold the job's row.
     *
     * @param nonce of a run that is ours, or null for one whose lease must be over
     * @return whether there was one
     */
    static boolean endBackend(Connection connection, long runId, @Nullable UUID nonce) throws SQLException {
        try (PreparedStatement end = connection.prepareStatement("""
                select pg_terminate_backend(a.pid)
                from run r join pg_stat_activity a on a.pid = r.backend_pid and a.backend_start = r.backend_start
                where r.run_id = ? and r.state = 'running' and a.state is distinct from 'idle'
                    and (r.nonce = ? or r.lease_until <= clock_timestamp()) and a.pid <> pg_backend_pid()""")) {
            end.setLong(1, runId);
            end.setObject(2, nonce, java.sql.Types.OTHER);
            try (ResultSet row = end.executeQuery()) {
                return row.next();
            }
        }
    }

    static ClaimOutcome takeOver(Connection connection, JobRow job, long runId, boolean newerDue, Ticket ticket)
            throws SQLException {
        JobLock lock = JobLock.tryLock(connection, job.jobId());
        if (lock == null) {
            return new ClaimOutcome.Busy();
        }
        Dead dead = find(connection, runId);
        if (dead == null) {
            return new ClaimOutcome.Lost(null);
        }
        if (newerDue && !dead.manual() && !lock.agrees(job)) {
            // What is due may be another tick by now, or none.
            return new ClaimOutcome.Refused("the job was changed");
        }
        // What somebody asked for is done, whatever is due; a tick says nothing about it.
        boolean superseded = newerDue && !dead.manual();
        String why = whyNoNextAttempt(connection, lock, dead, superseded);
        String state = superseded ? "superseded" : "abandoned";
        close(connection, runId, state, (dead.handedOver()
                ? dead.process() + " was told to stop and gave the run back"
                : dead.process() + " fell silent; its lease ended at " + dead.leaseUntil())
                + (why == null ? "" : "; no further attempt: " + why));
        if (why != null) {
            return new ClaimOutcome.Closed(state, why);
        }
        Claim claim = Claims.insert(connection, lock, "take-over", dead.tick(), dead.attempt() + 1, dead.request(),
                ticket);
        return claim == null
                ? new ClaimOutcome.Closed(state, "the next attempt has its row already")
                : new ClaimOutcome.Won(claim);
    }

    private static @Nullable Dead find(Connection connection, long runId) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("""
                select r.scheduled_at, r.attempt,
                """ + RunRows.IS_MANUAL + """
                , r.process, r.lease_until, r.handed_over, r.request::text from run r
                where r.run_id = ? and r.state = 'running' and r.lease_until <= clock_timestamp()
                for no key update of r skip locked""")) {
            query.setLong(1, runId);
            try (ResultSet row = query.executeQuery()) {
                return row.next()
                        ? new Dead(Rows.instantAt(row, 1), row.getInt(2), row.getBoolean(3), row.getString(4),
                                Rows.instantAt(row, 5), row.getBoolean(6), row.getString(7))
                        : null;
            }
        }
    }

    private static @Nullable String whyNoNextAttempt(Connection connection, JobLock job, Dead dead,
            boolean superseded) throws SQLException {
        if (superseded) {
            return "a newer tick is due";
        }
        if (!dead.manual() && !job.enabled()) {
            return "the job is disabled";
        }
        if (!dead.manual() && job.isPaused(job.now())) {
            return "the job is paused";
        }
        try (PreparedStatement query = connection.prepareStatement("""
                select count(*) filter (where not handed_over), count(*) from run
                where job_id = ? and scheduled_at = ?""")) {
            query.setLong(1, job.jobId());
            Rows.set(query, 2, dead.tick());
            try (ResultSet row = query.executeQuery()) {
                row.next();
                if (row.getInt(1) >= NextStep.MAX_ATTEMPTS) {
                    return row.getInt(1) + " attempts were made";
                }
                return row.getInt(2) >= MAX_ROWS ? "it was begun and handed over " + row.getInt(2) + " times" : null;
            }
        }
    }

    private static void close(Connection connection, long runId, String state, String reason) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("""
                update run set state = ?, finished_at = clock_timestamp(), reason = concat_ws('; ', reason, ?)
                where run_id = ? and state = 'running'""")) {
            update.setString(1, state);
            update.setString(2, RunRows.storable(reason));
            update.setLong(3, runId);
            if (!Rows.one(update.executeUpdate(), "closing of a dead run")) {
                throw new SQLException("run " + runId + " changed under its lock");
            }
        }
    }
}
