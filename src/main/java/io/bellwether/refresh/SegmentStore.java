package io.bellwether.refresh;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.SortedMap;

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
    private static final String THERE = " on conflict (sha256) do update set touched_at = clock_timestamp()";
    private static final String ONE = "insert into segment (sha256, content) values (?, ?)" + THERE;
    private static final String MANY = "insert into segment (sha256, content)"
            + " select u.name, u.content from unnest(?::bytea[], ?::bytea[]) as u(name, content)" + THERE;

    private final Database database;

    SegmentStore(Database database) {
        this.database = database;
    }

    /**
     * Writes segments, or marks those as wanted that are there: {@link RetentionWork} leaves them alone then.
     *
     * @param contents by their names, in whose order they are written, so that two who write the same do not lock each
     *        other out
     */
    void put(SortedMap<Sha256, byte[]> contents) throws SQLException {
        database.<Integer, RuntimeException>inTransaction("store segments", LIMIT, connection -> {
            try (Statement statement = connection.createStatement();
                    PreparedStatement insert = connection.prepareStatement(contents.size() == 1 ? ONE : MANY)) {
                statement.execute("set local synchronous_commit = off");
                if (contents.size() == 1) {
                    // A segment that comes alone may be a large one, of which the driver's array would be a copy.
                    insert.setBytes(1, contents.firstKey().bytes());
                    insert.setBytes(2, contents.get(contents.firstKey()));
                    return insert.executeUpdate();
                }
                byte[][] names = contents.keySet().stream().map(Sha256::bytes).toArray(byte[][]::new);
                insert.setArray(1, connection.createArrayOf("bytea", names));
                insert.setArray(2, connection.createArrayOf("bytea", contents.values().toArray(byte[][]::new)));
                return insert.executeUpdate();
            }
        });
    }
}
