package io.bellwether.lease;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;

import org.jspecify.annotations.Nullable;

/**
 * One row of {@code run}, for people: an attempt at a tick, or a tick (or several) without a run. Immutable.
 *
 * @param id the row
 * @param job its job's name
 * @param kind {@code cron}, {@code manual} or {@code take-over}
 * @param scheduledAt the tick; of a row that stands for several ticks the last of them
 * @param state {@code queued}, {@code running}, a result, or {@code overlapped}, {@code missed}, {@code paused}
 * @param attempt from 1
 * @param process who ran it, or null
 * @param fence the job's fence that it held, or null
 * @param gate {@code redis}, {@code postgres} or null
 * @param claimedAt when it was claimed, by the database's clock, or null
 * @param finishedAt when it ended, or null
 * @param revision what it published, or null
 * @param upserts policies put, or null
 * @param deletes policies deleted, or null
 * @param unchanged policies found as they were, or null
 * @param ticks for how many ticks this row stands
 * @param ticksFrom the first of them, or null when it is one
 * @param reason a sentence for people, or null
 * @param progress where a running one is, as JSON text, or null
 * @param request what a manual run was asked to do, as JSON text, or null
 * @param candidate the hash of what a guard refused, in hex, or null
 */
public record RunView(long id, String job, String kind, Instant scheduledAt, String state, int attempt,
        @Nullable String process, @Nullable Long fence, @Nullable String gate, @Nullable Instant claimedAt,
        @Nullable Instant finishedAt, @Nullable Long revision, @Nullable Long upserts, @Nullable Long deletes,
        @Nullable Long unchanged, int ticks, @Nullable Instant ticksFrom, @Nullable String reason,
        @Nullable String progress, @Nullable String request, @Nullable String candidate) {

    /** The columns, of {@code run r join job j}, in the order that {@link #read} expects. */
    static final String COLUMNS = """
            r.run_id, j.name, r.kind, r.scheduled_at, r.state, r.attempt, r.process, r.fence, r.gate, r.claimed_at,
            r.finished_at, r.revision, r.upserts, r.deletes, r.unchanged, r.ticks, r.ticks_from, r.reason,
            r.progress::text, r.request::text, encode(r.candidate, 'hex')""";

    /** How many columns that is. */
    static final int WIDTH = 21;

    /** Whether it is neither queued nor running. */
    public boolean isFinished() {
        return !state.equals("queued") && !state.equals("running");
    }

    /** How long it ran, or null when it did not end or never began. */
    public @Nullable Duration duration() {
        return claimedAt == null || finishedAt == null ? null : Duration.between(claimedAt, finishedAt);
    }

    /** Reads the current row, whose first column is at {@code at}; the row must be there. */
    static RunView read(ResultSet row, int at) throws SQLException {
        return new RunView(row.getLong(at), row.getString(at + 1), row.getString(at + 2),
                row.getObject(at + 3, OffsetDateTime.class).toInstant(), row.getString(at + 4), row.getInt(at + 5),
                row.getString(at + 6), number(row, at + 7), row.getString(at + 8), instant(row, at + 9),
                instant(row, at + 10), number(row, at + 11), number(row, at + 12), number(row, at + 13),
                number(row, at + 14), row.getInt(at + 15), instant(row, at + 16), row.getString(at + 17),
                row.getString(at + 18), row.getString(at + 19), row.getString(at + 20));
    }

    /** A timestamp, or null; {@code infinity} becomes {@link Instant#MAX}. */
    static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        OffsetDateTime value = row.getObject(column, OffsetDateTime.class);
        if (value == null) {
            return null;
        }
        return value.equals(OffsetDateTime.MAX) ? Instant.MAX : value.toInstant();
    }

    static @Nullable Long number(ResultSet row, int column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? null : value;
    }
}
