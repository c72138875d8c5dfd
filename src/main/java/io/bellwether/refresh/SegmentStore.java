package io.bellwether.refresh;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;

import io.bellwether.database.Database;
import io.bellwether.policy.GzipMember;
import io.bellwether.policy.SegmentRef;
import io.bellwether.policy.Sha256;

/**
 * The table of segments, as the builder uses it. Thread safe.
 *
 * <p>Segments are written in short transactions of their own, before the publishing one: named by their content they
 * belong to nobody until a manifest names them, and so no publish ever waits for another one that writes the same
 * segment. They need not wait for the disk either; the COMMIT of the publish, later in the same log, does.
 */
final class SegmentStore {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Database database;

    SegmentStore(Database database) {
        this.database = database;
    }

    /** Writes a segment, or marks it as wanted if it is there: {@link RetentionWork} leaves it alone then. */
    void put(Sha256 sha256, byte[] content) throws SQLException {
        database.<Integer, RuntimeException>inTransaction("store segment", LIMIT, connection -> {
            try (Statement statement = connection.createStatement();
                    PreparedStatement insert = connection.prepareStatement("""
                            insert into segment (sha256, content) values (?, ?)
                            on conflict (sha256) do update set touched_at = clock_timestamp()""")) {
                statement.execute("set local synchronous_commit = off");
                insert.setBytes(1, sha256.bytes());
                insert.setBytes(2, content);
                return insert.executeUpdate();
            }
        });
    }

    /**
     * The lines of a segment, checked against its hashes.
     *
     * @throws IllegalStateException if it is not there or damaged
     */
    byte[] lines(SegmentRef segment) throws SQLException {
        byte[] content = database.<byte[], RuntimeException>inTransaction("read segment", LIMIT, connection -> {
            try (PreparedStatement query = connection
                    .prepareStatement("select content from segment where sha256 = ?")) {
                query.setBytes(1, segment.sha256().bytes());
                try (ResultSet row = query.executeQuery()) {
                    if (!row.next()) {
                        throw new IllegalStateException("segment " + segment.sha256() + " is missing");
                    }
                    return Objects.requireNonNull(row.getBytes(1));
                }
            }
        });
        byte[] lines = GzipMember.expand(content, Math.toIntExact(segment.rawBytes()));
        if (!Sha256.of(lines).equals(segment.rawSha256())) {
            throw new IllegalStateException("segment " + segment.sha256() + " is damaged");
        }
        return lines;
    }
}
