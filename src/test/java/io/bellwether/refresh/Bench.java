package io.bellwether.refresh;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

import io.bellwether.database.Database;
import io.bellwether.lease.RunResult;
import io.bellwether.policy.GzipMember;
import io.bellwether.policy.PolicyLine;
import io.bellwether.policy.PolicyLines;
import io.bellwether.policy.SetDefinition;
import io.bellwether.policy.Sha256;
import io.bellwether.settings.Settings;
import io.bellwether.source.FeedSource;
import io.bellwether.source.SourceAllow;
import io.bellwether.telemetry.Meters;
import io.bellwether.testing.Eventually;
import io.bellwether.testing.TestLease;
import io.bellwether.testing.TestPostgres;
import io.bellwether.testing.TestSets;

/** A refresh on a real database with feeds in a folder, and a reader's view of what it published. */
final class Bench {
    final Settings.Database settings;
    final Database database;
    final Path folder;
    final FeedSource source;
    final Meters meters = new Meters();
    final IndexFiles indexes;
    final RefreshWork work;

    Bench(Path folder) throws Exception {
        this(folder, TestPostgres.freshDatabase());
    }

    Bench(Path folder, Settings.Database settings) throws Exception {
        this.folder = folder;
        this.settings = settings;
        database = TestPostgres.open(settings);
        source = new FeedSource(SourceAllow.parse(List.of("localhost", "file:" + folder.toRealPath())),
                InstantSource.system());
        indexes = new IndexFiles(folder.resolve("data"), InstantSource.system());
        work = new RefreshWork(database, source, meters, indexes, () -> true);
    }

    /** A set that is made from the file of its name. */
    TestSets.Inserted set(String name, SetDefinition.Guard guard) throws SQLException, IOException {
        return TestSets.insert(database, name, TestSets.definition(file(name).toUri(), guard));
    }

    TestSets.Inserted set(String name) throws SQLException, IOException {
        return set(name, SetDefinition.Guard.DEFAULT);
    }

    TestSets.Inserted set(String name, URI feed) throws SQLException {
        return TestSets.insert(database, name, TestSets.definition(feed));
    }

    Path file(String set) throws IOException {
        return folder.toRealPath().resolve(set + ".ndjson");
    }

    void feed(String set, String text) throws IOException {
        Path part = folder.resolve("part");
        Files.writeString(part, text);
        Files.move(part, file(set), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    void feed(String set, Map<String, String> policies) throws IOException {
        StringBuilder text = new StringBuilder();
        policies.forEach((key, body) -> text.append(line(key, body)));
        feed(set, text.toString());
    }

    /** One run of the set's job, its result recorded as the tick protocol does. */
    RunResult run(TestSets.Inserted set) throws Exception {
        return run(TestLease.claim(database, set.jobId()));
    }

    RunResult run(TestLease lease) throws Exception {
        RunResult result;
        try {
            result = work.perform(lease);
        } catch (Exception e) {
            if (lease.state().equals("running")) {
                lease.record(RunResult.failed(String.valueOf(e.getMessage())));
            }
            throw e;
        }
        if (result.state() != RunResult.State.PUBLISHED) {
            lease.record(result);
        }
        assertThat(lease.state()).isEqualTo(result.state().text());
        return result;
    }

    /** What a reader sees at the head, every hash and every sum checked; null when nothing was published. */
    SortedMap<String, String> head(TestSets.Inserted set) throws SQLException {
        return revision(set, number("select revision from policy_set where set_id = " + set.setId()));
    }

    SortedMap<String, String> revision(TestSets.Inserted set, long revision) throws SQLException {
        SortedMap<String, String> content = new TreeMap<>(BY_BYTES);
        try (Connection connection = database.dedicatedConnection("test");
                PreparedStatement query = connection.prepareStatement("""
                        select m.first_key, m.sha256, m.raw_sha256, m.bytes, m.raw_bytes, m.policies, s.content
                        from manifest_entry m join segment s using (sha256)
                        where m.set_id = ? and m.added_in <= ? and (m.removed_in is null or m.removed_in > ?)
                        order by m.first_key""");
                PreparedStatement sums = connection.prepareStatement("""
                        select policies, bytes, raw_bytes, content_sha256 from revision
                        where set_id = ? and revision = ?""")) {
            query.setLong(1, set.setId());
            query.setLong(2, revision);
            query.setLong(3, revision);
            MessageDigest whole = Sha256.newDigest();
            long bytes = 0;
            long rawBytes = 0;
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    byte[] stored = Objects.requireNonNull(row.getBytes(7));
                    assertThat(Sha256.of(stored).bytes()).isEqualTo(row.getBytes(2));
                    assertThat((long) stored.length).isEqualTo(row.getLong(4));
                    byte[] raw = GzipMember.expand(stored, row.getInt(5));
                    assertThat(Sha256.of(raw).bytes()).isEqualTo(row.getBytes(3));
                    PolicyLines lines = new PolicyLines(raw, raw.length);
                    int policies = 0;
                    while (lines.next()) {
                        if (policies++ == 0) {
                            assertThat(lines.key()).isEqualTo(row.getBytes(1));
                        }
                        content.put(text(lines.key()), body(raw, lines));
                    }
                    assertThat(policies).isEqualTo(row.getInt(6));
                    bytes += stored.length;
                    rawBytes += raw.length;
                    whole.update(Sha256.of(raw).bytes());
                }
            }
            sums.setLong(1, set.setId());
            sums.setLong(2, revision);
            try (ResultSet row = sums.executeQuery()) {
                if (row.next()) {
                    assertThat(row.getLong(1)).isEqualTo(content.size());
                    assertThat(row.getLong(2)).isEqualTo(bytes);
                    assertThat(row.getLong(3)).isEqualTo(rawBytes);
                    assertThat(row.getBytes(4)).isEqualTo(whole.digest());
                } else {
                    assertThat(content).isEmpty();
                }
            }
        }
        return content;
    }

    /** The changes that a revision brought, as a change feed would show them: key to body, or to null for a delete. */
    List<Map.Entry<String, String>> delta(TestSets.Inserted set, long revision) throws SQLException {
        List<Map.Entry<String, String>> changes = new ArrayList<>();
        try (Connection connection = database.dedicatedConnection("test");
                PreparedStatement query = connection.prepareStatement("""
                        select d.raw_bytes, d.raw_sha256, d.policies, s.content
                        from delta_entry d join segment s using (sha256)
                        where d.set_id = ? and d.revision = ? order by d.ordinal""")) {
            query.setLong(1, set.setId());
            query.setLong(2, revision);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    byte[] raw = GzipMember.expand(Objects.requireNonNull(row.getBytes(4)), row.getInt(1));
                    assertThat(Sha256.of(raw).bytes()).isEqualTo(row.getBytes(2));
                    PolicyLines lines = new PolicyLines(raw, raw.length);
                    int count = 0;
                    for (; lines.next(); count++) {
                        changes.add(Map.entry(text(lines.key()), lines.isDelete() ? DELETED : body(raw, lines)));
                    }
                    assertThat(count).isEqualTo(row.getInt(3));
                }
            }
        }
        return changes;
    }

    static final String DELETED = "(deleted)";

    /** The rows of the table of policies. */
    SortedMap<String, String> rows(TestSets.Inserted set) throws SQLException {
        SortedMap<String, String> rows = new TreeMap<>(BY_BYTES);
        try (Connection connection = database.dedicatedConnection("test");
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "select key, body, body_sha256 from policy where set_id = " + set.setId())) {
            while (row.next()) {
                byte[] body = Objects.requireNonNull(row.getBytes(2));
                assertThat(Sha256.of(body).bytes()).isEqualTo(row.getBytes(3));
                rows.put(text(Objects.requireNonNull(row.getBytes(1))), text(body));
            }
        }
        return rows;
    }

    long number(String query) throws SQLException {
        return database.<Long, RuntimeException>inTransaction("test", Duration.ofSeconds(10), connection -> {
            try (Statement statement = connection.createStatement(); ResultSet row = statement.executeQuery(query)) {
                row.next();
                return row.getLong(1);
            }
        });
    }

    void execute(String sql) throws SQLException {
        database.<Boolean, RuntimeException>inTransaction("test", Duration.ofSeconds(10), connection -> {
            try (Statement statement = connection.createStatement()) {
                return statement.execute(sql);
            }
        });
    }

    /** What a dying process, or whoever takes its run over, does to its connection. */
    void killBackend() throws SQLException {
        execute("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'bellwether-refresh'"
                + " and datname = current_database()");
    }

    /** Waits until the server has noticed that the refresh's connection is closed. */
    void awaitNoBackend() throws Exception {
        Eventually.eventually("the refresh's back end is gone", Duration.ofSeconds(10),
                () -> number("select count(*) from pg_stat_activity where application_name = 'bellwether-refresh'"
                        + " and datname = current_database()") == 0);
    }

    /** Order of keys: as bytes. */
    static final java.util.Comparator<String> BY_BYTES = (a, b) -> Arrays.compareUnsigned(
            a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));

    static SortedMap<String, String> sorted(Map<String, String> policies) {
        SortedMap<String, String> sorted = new TreeMap<>(BY_BYTES);
        sorted.putAll(policies);
        return sorted;
    }

    /** Policies that are told apart by their number, and states of them by their version. */
    static Map<String, String> numbered(int count, int version) {
        Map<String, String> policies = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            policies.put("k" + i, "{\"n\":" + i + ",\"v\":" + version + "}");
        }
        return policies;
    }

    static String line(String key, String body) {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        PolicyLine.append(line, key.getBytes(StandardCharsets.UTF_8), bytes, 0, bytes.length);
        return line.toString(StandardCharsets.UTF_8);
    }

    private static String body(byte[] raw, PolicyLines lines) {
        return new String(raw, lines.bodyOffset(), lines.bodyLength(), StandardCharsets.UTF_8);
    }

    private static String text(byte[] utf8) {
        return new String(utf8, StandardCharsets.UTF_8);
    }

    /** Checks that no refresh left a connection behind, and stops. */
    void close() throws Exception {
        awaitNoBackend();
        source.close();
        database.stop(Duration.ZERO);
        meters.close();
    }
}
