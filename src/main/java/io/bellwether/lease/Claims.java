package io.bellwether.lease;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import io.bellwether.schedule.NextStep;

/**
 * The claims, each inside a transaction that has the job's row locked. Stateless.
 *
 * <p>A claim that is won raises the job's fence and moves its cursor; a claim that is lost changes nothing, except where
 * it finds that its tick became due during a run and records just that.
 */
final class Claims {
    private Claims() {}

    static ClaimOutcome claim(Connection connection, JobRow job, Instant tick, Ticket ticket) throws SQLException {
        JobLock lock = JobLock.tryLock(connection, job.jobId());
        if (lock == null) {
            return new ClaimOutcome.Busy();
        }
        if (!tick.isAfter(lock.cursor())) {
            return new ClaimOutcome.Lost(winner(connection, job.jobId(), tick));
        }
        if (!lock.agrees(job) || !lock.enabled() || lock.isPaused(tick)) {
            return new ClaimOutcome.Refused("the job was changed");
        }
        if (tick.isAfter(lock.now())) {
            return new ClaimOutcome.NotDue(Duration.between(lock.now(), tick));
        }
        if (isRunning(connection, job.jobId())) {
            return new ClaimOutcome.Refused("a run is under way");
        }
        if (hasRow(connection, job.jobId(), tick)) {
            // Somebody set the cursor back.
            TickRows.moveCursor(connection, job.jobId(), tick);
            return new ClaimOutcome.Lost(winner(connection, job.jobId(), tick));
        }
        if (fellIntoARun(connection, job.jobId(), tick)) {
            TickRows.insert(connection, job.jobId(), "overlapped", tick, tick, 1, "due during a run");
            TickRows.moveCursor(connection, job.jobId(), tick);
            return new ClaimOutcome.Overlapped();
        }
        TickRows.moveCursor(connection, job.jobId(), tick);
        return won(insert(connection, lock, "cron", tick, 1, null, ticket));
    }

    static ClaimOutcome claimQueued(Connection connection, JobRow job, long runId, Ticket ticket)
            throws SQLException {
        JobLock lock = JobLock.tryLock(connection, job.jobId());
        if (lock == null) {
            return new ClaimOutcome.Busy();
        }
        if (isRunning(connection, job.jobId())) {
            return new ClaimOutcome.Refused("a run is under way");
        }
        try (PreparedStatement update = connection.prepareStatement("""
                update run set state = 'running', process = ?, fence = ?, gate = ?, nonce = ?,
                    claimed_at = clock_timestamp(), lease_until = clock_timestamp() + make_interval(secs => ?)
                where run_id = ? and job_id = ? and state = 'queued'
                returning scheduled_at, attempt, request::text, claimed_at""")) {
            long fence = lock.fence() + 1;
            update.setString(1, ticket.process());
            update.setLong(2, fence);
            update.setString(3, ticket.gate());
            update.setObject(4, ticket.nonce());
            update.setDouble(5, ticket.lease().toMillis() / 1000.0);
            update.setLong(6, runId);
            update.setLong(7, job.jobId());
            try (ResultSet row = update.executeQuery()) {
                if (!row.next()) {
                    return new ClaimOutcome.Lost(null);
                }
                raiseFence(connection, job.jobId(), fence);
                return new ClaimOutcome.Won(new Claim(runId, job.jobId(), lock.name(), lock.kind(), "manual",
                        Rows.instantAt(row, 1), row.getInt(2), fence, ticket.nonce(), ticket.gate(),
                        lock.maxRuntime(), row.getString(3), Rows.instantAt(row, 4)));
            }
        }
    }

    static ClaimOutcome retry(Connection connection, JobRow job, Instant tick, int attempt, Ticket ticket)
            throws SQLException {
        JobLock lock = JobLock.tryLock(connection, job.jobId());
        if (lock == null) {
            return new ClaimOutcome.Busy();
        }
        if (!lock.agrees(job) || !lock.enabled() || lock.isPaused(lock.now())
                || isRunning(connection, job.jobId())) {
            return new ClaimOutcome.Refused("the job was changed");
        }
        return won(insert(connection, lock, "cron", tick, attempt, null, ticket));
    }

    private static ClaimOutcome won(@Nullable Claim claim) {
        return claim == null ? new ClaimOutcome.Lost(null) : new ClaimOutcome.Won(claim);
    }

    /** Raises the fence and inserts the running row; null when the attempt has its row already. */
    static @Nullable Claim insert(Connection connection, JobLock job, String kind, Instant tick, int attempt,
            @Nullable String request, Ticket ticket) throws SQLException {
        long fence = job.fence() + 1;
        try (PreparedStatement insert = connection.prepareStatement("""
                insert into run (job_id, kind, scheduled_at, attempt, state, process, fence, gate, nonce, request,
                    claimed_at, lease_until)
                values (?, ?, ?, ?, 'running', ?, ?, ?, ?, ?::jsonb, clock_timestamp(),
                    clock_timestamp() + make_interval(secs => ?))
                on conflict do nothing returning run_id, claimed_at""")) {
            insert.setLong(1, job.jobId());
            insert.setString(2, kind);
            Rows.set(insert, 3, tick);
            insert.setInt(4, attempt);
            insert.setString(5, ticket.process());
            insert.setLong(6, fence);
            insert.setString(7, ticket.gate());
            insert.setObject(8, ticket.nonce());
            insert.setString(9, request);
            insert.setDouble(10, ticket.lease().toMillis() / 1000.0);
            try (ResultSet row = insert.executeQuery()) {
                if (!row.next()) {
                    return null;
                }
                raiseFence(connection, job.jobId(), fence);
                return new Claim(row.getLong(1), job.jobId(), job.name(), job.kind(), kind, tick, attempt, fence,
                        ticket.nonce(), ticket.gate(), job.maxRuntime(), request, Rows.instantAt(row, 2));
            }
        }
    }

    private static void raiseFence(Connection connection, long jobId, long fence) throws SQLException {
        try (PreparedStatement update = connection
                .prepareStatement("update job set fence = ? where job_id = ? and fence < ?")) {
            update.setLong(1, fence);
            update.setLong(2, jobId);
            update.setLong(3, fence);
            if (!Rows.one(update.executeUpdate(), "raise of a fence")) {
                throw new SQLException("the fence of job " + jobId + " was raised under its lock");
            }
        }
    }

    /** The claim that was made with this ticket, if it was. */
    static ClaimOutcome byNonce(Connection connection, JobRow job, Ticket ticket) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("""
                select r.run_id, r.job_id, j.name, j.kind, r.kind, r.scheduled_at, r.attempt, r.fence,
                    (extract(epoch from j.max_runtime) * 1000)::bigint, r.request::text, r.claimed_at
                from run r join job j using (job_id) where r.job_id = ? and r.state = 'running' and r.nonce = ?""")) {
            query.setLong(1, job.jobId());
            query.setObject(2, ticket.nonce());
            try (ResultSet row = query.executeQuery()) {
                if (!row.next()) {
                    return new ClaimOutcome.Refused("the claim was not committed");
                }
                return new ClaimOutcome.Won(new Claim(row.getLong(1), row.getLong(2), row.getString(3),
                        row.getString(4), row.getString(5), Rows.instantAt(row, 6), row.getInt(7), row.getLong(8),
                        ticket.nonce(), ticket.gate(), Duration.ofMillis(row.getLong(9)), row.getString(10),
                        Rows.instantAt(row, 11)));
            }
        }
    }

    /** Whether this run is still on. */
    static boolean isRunning(Connection connection, long jobId, long runId) throws SQLException {
        try (PreparedStatement query = connection
                .prepareStatement("select 1 from run where job_id = ? and run_id = ? and state = 'running'")) {
            query.setLong(1, jobId);
            query.setLong(2, runId);
            try (ResultSet row = query.executeQuery()) {
                return row.next();
            }
        }
    }

    static boolean isRunning(Connection connection, long jobId) throws SQLException {
        try (PreparedStatement query = connection
                .prepareStatement("select 1 from run where job_id = ? and state = 'running'")) {
            query.setLong(1, jobId);
            try (ResultSet row = query.executeQuery()) {
                return row.next();
            }
        }
    }

    private static boolean hasRow(Connection connection, long jobId, Instant tick) throws SQLException {
        try (PreparedStatement query = connection
                .prepareStatement("select 1 from run where job_id = ? and scheduled_at = ?")) {
            query.setLong(1, jobId);
            Rows.set(query, 2, tick);
            try (ResultSet row = query.executeQuery()) {
                return row.next();
            }
        }
    }

    private static @Nullable String winner(Connection connection, long jobId, Instant tick) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(
                "select process from run where job_id = ? and scheduled_at = ? order by attempt desc limit 1")) {
            query.setLong(1, jobId);
            Rows.set(query, 2, tick);
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? row.getString(1) : null;
            }
        }
    }

    /** Whether the tick became due while a run was alive that has ended since. */
    private static boolean fellIntoARun(Connection connection, long jobId, Instant tick) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("""
                select 1 from (select * from run where job_id = ? and claimed_at is not null
                    order by run_id desc limit 64) r
                where claimed_at < ? and least(finished_at, lease_until + make_interval(secs => ?)) >= ?""")) {
            query.setLong(1, jobId);
            Rows.set(query, 2, tick);
            query.setDouble(3, NextStep.TAKE_OVER_TIME.toSeconds());
            Rows.set(query, 4, tick);
            try (ResultSet row = query.executeQuery()) {
                return row.next();
            }
        }
    }
}
