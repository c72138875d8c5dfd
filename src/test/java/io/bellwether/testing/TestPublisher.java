package io.bellwether.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;

import io.bellwether.database.Database;
import io.bellwether.policy.CutRule;
import io.bellwether.policy.Manifest;
import io.bellwether.policy.PolicyLine;
import io.bellwether.policy.SegmentRef;
import io.bellwether.policy.Sha256;

/**
 * Publishes revisions of one set by plain SQL, whole and slowly, as the schema defines them: what readers are tested
 * against, without the code that refreshes. Not thread safe.
 */
public final class TestPublisher {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final Database database;
    private final long setId;
    private final String name;
    private final CutRule cut;
    private final Map<Sha256, byte[]> stored = new HashMap<>();
    private TreeMap<String, String> content = new TreeMap<>(TestPublisher::byBytes);
    private List<SegmentRef> segments = List.of();
    private long revision;

    /** A publisher for a set that has no revision yet, with 2^{@code bits} policies in a segment on average. */
    public TestPublisher(Database database, TestSets.Inserted set, int bits) {
        this.database = database;
        this.setId = set.setId();
        this.name = set.name();
        this.cut = new CutRule(bits);
    }

    /** The revision published last. */
    public long revision() {
        return revision;
    }

    /** Its content. */
    public Map<String, String> content() {
        return content;
    }

    /** Its canonical lines. */
    public byte[] lines() {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        content.forEach((key, body) -> append(lines, key, body));
        return lines.toByteArray();
    }

    /** Its manifest. */
    public Manifest manifest() {
        return Manifest.of(segments);
    }

    /** The stored bytes of its segments in order. */
    public byte[] bundle() {
        ByteArrayOutputStream bundle = new ByteArrayOutputStream();
        segments.forEach(s -> bundle.writeBytes(stored.getOrDefault(s.sha256(), new byte[0])));
        return bundle.toByteArray();
    }

    /** The stored bytes of a segment ever published here. */
    public byte[] segment(Sha256 sha256) {
        return stored.getOrDefault(sha256, new byte[0]);
    }

    /** Publishes this content as the next revision, with its changes. */
    public void publish(Map<String, String> next) throws SQLException {
        publish(next, true);
    }

    /** Publishes this content as the next revision. */
    public void publish(Map<String, String> next, boolean withDelta) throws SQLException {
        TreeMap<String, String> sorted = new TreeMap<>(TestPublisher::byBytes);
        sorted.putAll(next);
        List<SegmentRef> built = build(sorted);
        database.inTransaction("test publish", LIMIT, connection -> {
            write(connection, sorted, built, withDelta);
            return true;
        });
        content = sorted;
        segments = built;
        revision++;
    }

    /** Deletes revisions before {@code oldest}, with what only they refer to. */
    public void retainFrom(long oldest) throws SQLException {
        database.inTransaction("test retention", LIMIT, connection -> {
            run(connection, "delete from revision where set_id = ? and revision < ?", setId, oldest);
            run(connection, "delete from manifest_entry where set_id = ? and removed_in <= ?", setId, oldest);
            run(connection, """
                    delete from segment s where not exists (select 1 from manifest_entry m where m.sha256 = s.sha256)
                    and not exists (select 1 from delta_entry d where d.sha256 = s.sha256)""");
            raise(connection);
            return true;
        });
    }

    /** Gives up the contents of revisions before {@code oldest}, but not their changes. */
    public void keepContentsFrom(long oldest) throws SQLException {
        database.inTransaction("test retention", LIMIT, connection -> {
            run(connection, "update policy_set set contents_from = greatest(contents_from, ?) where set_id = ?", oldest,
                    setId);
            run(connection, "delete from manifest_entry where set_id = ? and removed_in <= ?", setId, oldest);
            run(connection, """
                    delete from segment s where not exists (select 1 from manifest_entry m where m.sha256 = s.sha256)
                    and not exists (select 1 from delta_entry d where d.sha256 = s.sha256)""");
            raise(connection);
            return true;
        });
    }

    /** Deletes the set. */
    public void delete() throws SQLException {
        database.inTransaction("test delete", LIMIT, connection -> {
            run(connection, "delete from policy_set where set_id = ?", setId);
            raise(connection);
            return true;
        });
    }

    private void write(Connection connection, SortedMap<String, String> next, List<SegmentRef> built, boolean withDelta)
            throws SQLException {
        long number = revision + 1;
        stored.forEach((sha256, bytes) -> insertSegment(connection, sha256, bytes));
        for (SegmentRef old : segments) {
            if (!built.contains(old)) {
                run(connection, "update manifest_entry set removed_in = ? where set_id = ? and first_key = ?"
                        + " and removed_in is null", number, setId, old.firstKey());
            }
        }
        for (SegmentRef fresh : built) {
            if (!segments.contains(fresh)) {
                run(connection, """
                        insert into manifest_entry (set_id, first_key, added_in, sha256, raw_sha256, bytes, raw_bytes,
                            policies) values (?, ?, ?, ?, ?, ?, ?, ?)""", setId, fresh.firstKey(), number,
                        fresh.sha256().bytes(), fresh.rawSha256().bytes(), fresh.bytes(), fresh.rawBytes(),
                        fresh.policies());
            }
        }
        Manifest manifest = Manifest.of(built);
        run(connection, """
                insert into revision (set_id, revision, policies, bytes, raw_bytes, content_sha256, upserts, deletes,
                    has_delta, published_at, process) values (?, ?, ?, ?, ?, ?, ?, ?, ?, clock_timestamp(), 'test')""",
                setId, number, manifest.policies(), manifest.bytes(), manifest.rawBytes(),
                manifest.contentSha256().bytes(), 0, 0, withDelta);
        if (withDelta) {
            writeDelta(connection, next, number);
        }
        run(connection, "update policy_set set revision = ? where set_id = ?", number, setId);
        raise(connection);
    }

    private void writeDelta(Connection connection, SortedMap<String, String> next, long number) throws SQLException {
        TreeMap<String, String> keys = new TreeMap<>(TestPublisher::byBytes);
        keys.putAll(content);
        keys.putAll(next);
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        int count = 0;
        int ordinal = 0;
        for (String key : keys.keySet()) {
            String before = content.get(key);
            String after = next.get(key);
            if (after != null && !after.equals(before)) {
                byte[] body = bytes(after);
                PolicyLine.appendPut(lines, bytes(key), body, 0, body.length);
                count++;
            } else if (after == null) {
                PolicyLine.appendDelete(lines, bytes(key));
                count++;
            }
            if (count >= 100) {
                insertDelta(connection, number, ordinal++, lines.toByteArray(), count);
                lines.reset();
                count = 0;
            }
        }
        if (count > 0) {
            insertDelta(connection, number, ordinal, lines.toByteArray(), count);
        }
    }

    private void insertDelta(Connection connection, long number, int ordinal, byte[] raw, int count)
            throws SQLException {
        byte[] packed = gzip(raw);
        Sha256 sha256 = Sha256.of(packed);
        insertSegment(connection, sha256, packed);
        stored.put(sha256, packed);
        run(connection, """
                insert into delta_entry (set_id, revision, ordinal, sha256, raw_sha256, bytes, raw_bytes, policies)
                values (?, ?, ?, ?, ?, ?, ?, ?)""", setId, number, ordinal, sha256.bytes(), Sha256.of(raw).bytes(),
                packed.length, raw.length, count);
    }

    private void raise(Connection connection) throws SQLException {
        run(connection, """
                with raised as (update instance set heads_version = heads_version + 1 returning heads_version)
                update policy_set set version = (select heads_version from raised) where set_id = ?""", setId);
        run(connection, "update instance set heads_version = heads_version + 1");
        try (PreparedStatement notify = connection.prepareStatement("select pg_notify('bellwether', ?)")) {
            notify.setString(1, name);
            try (ResultSet row = notify.executeQuery()) {
                row.next();
            }
        }
    }

    private List<SegmentRef> build(SortedMap<String, String> next) {
        List<SegmentRef> built = new ArrayList<>();
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        byte[] firstKey = {};
        int policies = 0;
        for (Map.Entry<String, String> policy : next.entrySet()) {
            byte[] key = bytes(policy.getKey());
            if (policies > 0 && cut.beginsSegment(key)) {
                built.add(segment(firstKey, lines.toByteArray(), policies));
                lines.reset();
                policies = 0;
            }
            if (policies == 0) {
                firstKey = key;
            }
            append(lines, policy.getKey(), policy.getValue());
            policies++;
        }
        if (policies > 0) {
            built.add(segment(firstKey, lines.toByteArray(), policies));
        }
        return built;
    }

    private SegmentRef segment(byte[] firstKey, byte[] raw, int policies) {
        byte[] packed = gzip(raw);
        Sha256 sha256 = Sha256.of(packed);
        stored.put(sha256, packed);
        return new SegmentRef(firstKey, sha256, Sha256.of(raw), packed.length, raw.length, policies);
    }

    private static void insertSegment(Connection connection, Sha256 sha256, byte[] bytes) {
        try {
            run(connection, "insert into segment (sha256, content) values (?, ?) on conflict do nothing",
                    sha256.bytes(), bytes);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static void run(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            statement.executeUpdate();
        }
    }

    private static void append(ByteArrayOutputStream lines, String key, String body) {
        byte[] bytes = bytes(body);
        PolicyLine.append(lines, bytes(key), bytes, 0, bytes.length);
    }

    private static byte[] gzip(byte[] raw) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(raw);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return packed.toByteArray();
    }

    private static int byBytes(String a, String b) {
        return Arrays.compareUnsigned(bytes(a), bytes(b));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
