package io.bellwether.lease;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;

/** Writes the rows of ticks that have no run. The job's row must be locked by the transaction. Stateless. */
final class TickRows {
    private TickRows() {}

    /**
     * Accounts for a stretch of ticks by one row, which is an older row of the same state when that row ends where the
     * stretch begins (the job's cursor), so that a long pause is one row.
     *
     * @param state {@code missed} or {@code paused}
     */
    static void extendOrInsert(Connection connection, long jobId, String state, Instant cursor, Instant first,
            Instant last, int ticks, String reason) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("""
                update run set scheduled_at = ?, ticks = ticks + ?, ticks_from = coalesce(ticks_from, scheduled_at),
                    finished_at = clock_timestamp()
                where job_id = ? and scheduled_at = ? and attempt = 1 and state = ?
                and not exists (select from run x where x.job_id = ? and x.scheduled_at = ? and x.attempt = 1)""")) {
            Rows.set(update, 1, last);
            update.setInt(2, ticks);
            update.setLong(3, jobId);
            Rows.set(update, 4, cursor);
            update.setString(5, state);
            update.setLong(6, jobId);
            Rows.set(update, 7, last);
            if (!Rows.one(update.executeUpdate(), "extension of a row of " + state + " ticks")) {
                insert(connection, jobId, state, first, last, ticks, reason);
            }
        }
    }

    /**
     * One row for a tick or a stretch of ticks. Where the tick has rows already (somebody set the job's cursor back) it
     * becomes one more attempt, so that the count is not lost.
     */
    static void insert(Connection connection, long jobId, String state, Instant first, Instant last, int ticks,
            String reason) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("""
                insert into run (job_id, kind, scheduled_at, attempt, state, finished_at, ticks, ticks_from, reason)
                select ?, 'cron', ?, coalesce(max(attempt), 0) + 1, ?, clock_timestamp(), ?, ?, ?
                from run where job_id = ? and scheduled_at = ?""")) {
            insert.setLong(1, jobId);
            Rows.set(insert, 2, last);
            insert.setString(3, state);
            insert.setInt(4, ticks);
            Rows.set(insert, 5, ticks == 1 ? null : first);
            insert.setString(6, reason);
            insert.setLong(7, jobId);
            Rows.set(insert, 8, last);
            if (!Rows.one(insert.executeUpdate(), "row of " + state + " ticks")) {
                throw new SQLException("the row of " + state + " ticks was not inserted");
            }
        }
    }

    /** Moves the cursor: every tick up to {@code tick} now has its row. */
    static void moveCursor(Connection connection, long jobId, Instant tick) throws SQLException {
        try (PreparedStatement update = connection
                .prepareStatement("update job set tick_cursor = ? where job_id = ? and tick_cursor < ?")) {
            Rows.set(update, 1, tick);
            update.setLong(2, jobId);
            Rows.set(update, 3, tick);
            if (!Rows.one(update.executeUpdate(), "move of a cursor")) {
                throw new SQLException("the cursor of job " + jobId + " moved under its lock");
            }
        }
    }
}
