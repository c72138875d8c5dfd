package io.bellwether.lease;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A job's row, locked by a transaction until it ends. Immutable.
 *
 * <p>Who only wants to try never waits for the lock ({@code skip locked}): a wait that runs into its limit would be an
 * ERROR in PostgreSQL's log, and a lost race is none.
 *
 * @param fence the highest that any run holds
 * @param now the database's clock, read after the lock was had
 */
record JobLock(long jobId, String name, String kind, long version, boolean enabled, @Nullable Instant pausedUntil,
        Instant cursor, long fence, Duration maxRuntime, Instant now) {

    private static final String COLUMNS = """
            select job_id, name, kind, definition_version, enabled, paused_until, tick_cursor,
                fence, (extract(epoch from max_runtime) * 1000)::bigint, clock_timestamp()
            from job where job_id = ? for no key update""";

    /** Locks the row, or returns null when somebody else has it or it is gone. */
    static @Nullable JobLock tryLock(Connection connection, long jobId) throws SQLException {
        return read(connection, COLUMNS + " skip locked", jobId);
    }

    /** Locks the row, waiting for whoever has it; null when it is gone. */
    static @Nullable JobLock await(Connection connection, long jobId) throws SQLException {
        return read(connection, COLUMNS, jobId);
    }

    private static @Nullable JobLock read(Connection connection, String sql, long jobId) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setLong(1, jobId);
            try (ResultSet row = query.executeQuery()) {
                return row.next()
                        ? new JobLock(row.getLong(1), row.getString(2), row.getString(3), row.getLong(4),
                                row.getBoolean(5), RunView.instant(row, 6), Rows.instantAt(row, 7),
                                row.getLong(8), Duration.ofMillis(row.getLong(9)), Rows.instantAt(row, 10))
                        : null;
            }
        }
    }

    /** Whether the row is what the look found: same definition, nothing accounted for since. */
    boolean agrees(JobRow job) {
        return version == job.version() && cursor.equals(job.cursor());
    }

    /** Whether this tick became due during a pause. */
    boolean isPaused(Instant tick) {
        return pausedUntil != null && !tick.isAfter(pausedUntil);
    }
}
