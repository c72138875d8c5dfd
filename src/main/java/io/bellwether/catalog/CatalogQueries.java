package io.bellwether.catalog;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.bellwether.policy.SegmentRef;
import io.bellwether.policy.Sha256;

/** The SQL that readers need. Stateless; each method works on the connection it is given. */
final class CatalogQueries {
    private static final int FETCH_ROWS = 2_000;

    private CatalogQueries() {}

    /** The one row that a look reads. */
    record Counters(UUID epoch, long headsVersion, long tokensVersion) {}

    static Counters counters(Connection connection) throws SQLException {
        try (PreparedStatement query = connection
                .prepareStatement("select epoch, heads_version, tokens_version from instance where id = 1");
                ResultSet row = query.executeQuery()) {
            if (!row.next()) {
                throw new SQLException("the table instance has no row");
            }
            return new Counters(row.getObject(1, UUID.class), row.getLong(2), row.getLong(3));
        }
    }

    /**
     * Begins a new epoch, unless somebody else did so or published meanwhile.
     *
     * @param seen what the database had
     * @param above the new version is above this one
     */
    static void renewEpoch(Connection connection, Heads seen, long above) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("""
                update instance set epoch = gen_random_uuid(), heads_version = greatest(heads_version, ?) + 1,
                    tokens_version = tokens_version + 1
                where epoch = ? and heads_version = ?""")) {
            update.setLong(1, above);
            update.setObject(2, seen.epoch());
            update.setLong(3, seen.version());
            update.executeUpdate();
        }
    }

    /** Makes the transaction see one state of the database; its first statement. */
    static void oneState(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("set transaction isolation level repeatable read, read only");
        }
    }

    /**
     * All sets as they are now, reusing what did not change.
     *
     * @param held what was loaded before
     */
    static Heads load(Connection connection, Heads held) throws SQLException {
        Counters counters = counters(connection);
        boolean sameEpoch = counters.epoch().equals(held.epoch());
        Map<String, SetState> sets = new HashMap<>();
        try (PreparedStatement query = connection
                .prepareStatement("select set_id, name, version, revision, contents_from from policy_set");
                ResultSet row = query.executeQuery()) {
            while (row.next()) {
                SetState before = sameEpoch ? held.byName().get(row.getString(2)) : null;
                sets.put(row.getString(2), set(connection, row, before));
            }
        }
        return new Heads(counters.epoch(), counters.headsVersion(), counters.tokensVersion(), sets);
    }

    private static SetState set(Connection connection, ResultSet row, @Nullable SetState before) throws SQLException {
        long setId = row.getLong(1);
        long version = row.getLong(3);
        long revision = row.getLong(4);
        long contentsFrom = row.getLong(5);
        if (before == null || before.setId() != setId || !before.isPublished() || revision < before.revision()) {
            return whole(connection, setId, row.getString(2), version, contentsFrom);
        }
        if (before.version() == version && before.revision() == revision) {
            return before;
        }
        long held = before.revision();
        Optional<Long> oldest = oldestRevision(connection, setId);
        // Of what ended before that, some is deleted and cannot be told from what is still there.
        if (oldest.isEmpty() || oldest.get() > held || contentsFrom > held) {
            return whole(connection, setId, row.getString(2), version, contentsFrom);
        }
        return before.after(new SetState.Changes(version, contentsFrom, oldest.get(),
                revisions(connection, setId, held),
                entries(connection, setId, "added_in > ?", held), entries(connection, setId, "removed_in > ?", held),
                deltas(connection, setId, held)));
    }

    private static SetState whole(Connection connection, long setId, String name, long version, long contentsFrom)
            throws SQLException {
        NavigableMap<Long, RevisionInfo> revisions = new TreeMap<>();
        revisions(connection, setId, 0).forEach(r -> revisions.put(r.revision(), r));
        List<ManifestEntry> entries = entries(connection, setId, "(removed_in is null or removed_in > ?)",
                contentsFrom);
        return new SetState(setId, name, version, contentsFrom, revisions, entries, deltas(connection, setId, 0));
    }

    private static Optional<Long> oldestRevision(Connection connection, long setId) throws SQLException {
        try (PreparedStatement query = connection
                .prepareStatement("select min(revision) from revision where set_id = ?")) {
            query.setLong(1, setId);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                long oldest = row.getLong(1);
                return row.wasNull() ? Optional.empty() : Optional.of(oldest);
            }
        }
    }

    private static List<RevisionInfo> revisions(Connection connection, long setId, long above) throws SQLException {
        List<RevisionInfo> revisions = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement("""
                select revision, policies, bytes, raw_bytes, content_sha256, upserts, deletes, has_delta, published_at,
                    process
                from revision where set_id = ? and revision > ?""")) {
            query.setLong(1, setId);
            query.setLong(2, above);
            query.setFetchSize(FETCH_ROWS);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    revisions.add(new RevisionInfo(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4),
                            Sha256.wrap(row.getBytes(5)), row.getLong(6), row.getLong(7), row.getBoolean(8),
                            row.getObject(9, OffsetDateTime.class).toInstant(), row.getString(10)));
                }
            }
        }
        return revisions;
    }

    /** The entries that a condition on a revision holds for; it is trusted text. */
    private static List<ManifestEntry> entries(Connection connection, long setId, String condition, long revision)
            throws SQLException {
        List<ManifestEntry> entries = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement("""
                select first_key, sha256, raw_sha256, bytes, raw_bytes, policies, added_in, removed_in
                from manifest_entry where set_id = ? and\s""" + condition)) {
            query.setLong(1, setId);
            query.setLong(2, revision);
            query.setFetchSize(FETCH_ROWS);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    SegmentRef segment = new SegmentRef(row.getBytes(1), Sha256.wrap(row.getBytes(2)),
                            Sha256.wrap(row.getBytes(3)), row.getLong(4), row.getLong(5), row.getInt(6));
                    long addedIn = row.getLong(7);
                    long removedIn = row.getLong(8);
                    entries.add(new ManifestEntry(segment, addedIn, row.wasNull() ? ManifestEntry.LIVE : removedIn));
                }
            }
        }
        return entries;
    }

    private static Map<Long, List<DeltaSegment>> deltas(Connection connection, long setId, long above)
            throws SQLException {
        Map<Long, List<DeltaSegment>> deltas = new HashMap<>();
        try (PreparedStatement query = connection.prepareStatement("""
                select revision, sha256, raw_sha256, bytes, raw_bytes, policies
                from delta_entry where set_id = ? and revision > ? order by revision, ordinal""")) {
            query.setLong(1, setId);
            query.setLong(2, above);
            query.setFetchSize(FETCH_ROWS);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    deltas.computeIfAbsent(row.getLong(1), ignored -> new ArrayList<>())
                            .add(new DeltaSegment(Sha256.wrap(row.getBytes(2)), Sha256.wrap(row.getBytes(3)),
                                    row.getLong(4), row.getLong(5), row.getInt(6)));
                }
            }
        }
        return deltas;
    }

    /** The stored bytes of a segment, or nothing when the database has none of that name. */
    static Optional<byte[]> segment(Connection connection, Sha256 sha256) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("select content from segment where sha256 = ?")) {
            query.setBytes(1, sha256.bytes());
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? Optional.of(row.getBytes(1)) : Optional.empty();
            }
        }
    }

    /** The stored bytes of those of the segments that the database has. */
    static Map<Sha256, byte[]> segments(Connection connection, List<Sha256> names) throws SQLException {
        Map<Sha256, byte[]> found = new HashMap<>();
        try (PreparedStatement query = connection
                .prepareStatement("select sha256, content from segment where sha256 = any(?)")) {
            query.setArray(1,
                    connection.createArrayOf("bytea", names.stream().map(Sha256::bytes).toArray(byte[][]::new)));
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    found.put(Sha256.wrap(row.getBytes(1)), row.getBytes(2));
                }
            }
        }
        return found;
    }
}
