package io.bellwether.lease;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.bellwether.policy.Sha256;

/** Statements about one run's row. Stateless. */
final class RunRows {
    /** What {@link #state} says of a row that is gone with its job. */
    static final String GONE = "gone";

    /**
     * Whether the run {@code r}, or the one that it took over, was asked for. Attempts at one tick share its instant, and
     * no manual run has that of a tick.
     */
    static final String IS_MANUAL = """
            (r.kind = 'manual' or r.request is not null or exists (select from run m where m.job_id = r.job_id
                and m.scheduled_at = r.scheduled_at and m.kind = 'manual'))""";

    private static final int MAX_REASON = 2_000;

    private RunRows() {}

    /**
     * Ends a run that is still ours.
     *
     * @return whether it was
     */
    static boolean finish(Connection connection, long runId, UUID nonce, Ledger.End end, @Nullable Long revision)
            throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("""
                update run set state = ?, finished_at = clock_timestamp(), revision = ?, upserts = ?, deletes = ?,
                    unchanged = ?, reason = nullif(concat_ws('; ', reason, ?), ''), candidate = ?
                where run_id = ? and nonce = ? and state = 'running'""")) {
            update.setString(1, end.state());
            update.setObject(2, revision, Types.BIGINT);
            update.setLong(3, end.upserts());
            update.setLong(4, end.deletes());
            update.setLong(5, end.unchanged());
            update.setString(6, storable(end.reason()));
            Sha256 candidate = end.candidate();
            update.setBytes(7, candidate == null ? null : candidate.bytes());
            update.setLong(8, runId);
            update.setObject(9, nonce);
            return Rows.one(update.executeUpdate(), "end of run " + runId);
        }
    }

    /** The state in the row. */
    static String state(Connection connection, long runId) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("select state from run where run_id = ?")) {
            query.setLong(1, runId);
            try (ResultSet row = query.executeQuery()) {
                String state = row.next() ? row.getString(1) : null;
                return state == null ? GONE : state;
            }
        }
    }

    /** A text that PostgreSQL takes: no NUL, not endless. */
    static @Nullable String storable(@Nullable String text) {
        if (text == null) {
            return null;
        }
        String clean = text.replace('\u0000', '\ufffd');
        return clean.length() > MAX_REASON ? clean.substring(0, MAX_REASON) + "…" : clean;
    }
}
