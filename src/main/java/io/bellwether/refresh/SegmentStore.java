package io.bellwether.refresh;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import io.bellwether.database.Database;
import io.bellwether.policy.Sha256;

/**
 * Writes segments. Thread safe.
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
}
