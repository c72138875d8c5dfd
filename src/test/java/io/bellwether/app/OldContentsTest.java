package io.bellwether.app;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.bellwether.catalog.CatalogService;
import io.bellwether.catalog.ChangeFeed;
import io.bellwether.catalog.HeadsFile;
import io.bellwether.catalog.SegmentSource;
import io.bellwether.catalog.SegmentStore;
import io.bellwether.catalog.SetState;
import io.bellwether.database.Database;
import io.bellwether.lease.RunResult;
import io.bellwether.refresh.IndexFiles;
import io.bellwether.refresh.RefreshWork;
import io.bellwether.refresh.RetentionWork;
import io.bellwether.source.FeedSource;
import io.bellwether.source.SourceAllow;
import io.bellwether.telemetry.Meters;
import io.bellwether.testing.TestLease;
import io.bellwether.testing.TestPostgres;
import io.bellwether.testing.TestSets;

/** What many revisions leave in the table, in the heap of a process and on its disk: the refresh, the job and a reader. */
class OldContentsTest {
    private static final int REVISIONS = 75;
    private static final int POLICIES = 700;
    private static final int CHANGED = 40;
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    @Test
    void publishes_manyMoreThanTheBoundAllows_keepHeapAndRowsWithinItAndAllChanges() throws Exception {
        Database database = TestPostgres.open(TestPostgres.freshDatabase());
        Path feed = folder.toRealPath().resolve("feed.ndjson");
        try (Meters meters = new Meters();
                FeedSource source = new FeedSource(SourceAllow.parse(List.of("file:" + folder.toRealPath())),
                        InstantSource.system())) {
            Path data = folder.resolve("data");
            CatalogService catalog = new CatalogService(database, new HeadsFile(data), meters);
            RefreshWork refresh = new RefreshWork(database, source, meters,
                    new IndexFiles(folder.resolve("index"), InstantSource.system()), catalog::isAsked);
            TestSets.Inserted set = TestSets.insert(database, "demo", TestSets.definition(feed.toUri()));
            catalog.start();
            Random random = new Random(3);
            Map<String, String> content = new TreeMap<>();
            Map<String, String> second = Map.of();
            long largest = 0;
            for (int revision = 1; revision <= REVISIONS; revision++) {
                for (int i = 0; i < (revision == 1 ? POLICIES : CHANGED); i++) {
                    String key = "k" + (revision == 1 ? i : random.nextInt(POLICIES));
                    content.put(key, "\"" + Long.toHexString(random.nextLong()).repeat(170) + "\"");
                }
                content.remove("k" + random.nextInt(POLICIES));
                write(feed, content);
                TestLease lease = TestLease.claim(database, set.jobId());
                assertThat(refresh.perform(lease).revision()).isEqualTo(revision);
                if (revision == 2) {
                    second = new TreeMap<>(content);
                }
                SetState held = catalog.look().heads().set("demo").orElseThrow();
                int live = held.manifest().segments().size();
                assertThat(held.endedEntries()).as("revision %d", revision).isLessThanOrEqualTo(2 * live + 1000);
                largest = Math.max(largest, held.endedEntries());
            }
            SetState held = catalog.look().heads().set("demo").orElseThrow();
            int live = held.manifest().segments().size();
            assertThat(largest).as("the bound was come to").isGreaterThan(live * 2L + 900);
            assertThat(held.oldestRevision()).isEqualTo(1);
            assertThat(held.oldestContents()).isBetween(3L, REVISIONS - 10L);

            // The rows go with the job. Nothing is a day old: all changes stay.
            assertThat(number(database, "select count(*) from manifest_entry")).isGreaterThan(3L * live + 1000);
            long job = number(database, "insert into job (name, kind, schedule) values ('retention', 'retention', '-')"
                    + " returning job_id");
            RunResult result = new RetentionWork(database).perform(TestLease.claim(database, job));
            assertThat(result.reason()).startsWith("removed 0 revisions, ");
            assertThat(number(database, "select count(*) from manifest_entry")).isLessThanOrEqualTo(3L * live + 1000);
            assertThat(number(database, "select count(*) from revision where has_delta")).isEqualTo(REVISIONS - 1);

            // Who was away since the second revision gets on from there.
            SegmentStore store = new SegmentStore(data, 1L << 30, SegmentSource.of(database), catalog::heads,
                    InstantSource.system());
            ByteArrayOutputStream changes = new ByteArrayOutputStream();
            new ChangeFeed(store).write(held, 2, changes);
            assertThat(held.hasContents(2)).isFalse();
            assertThat(applied(second, changes)).isEqualTo(content);

            eventually("heads are kept", Duration.ofSeconds(15), () -> Files.exists(data.resolve("heads")));
            assertThat(Files.size(data.resolve("heads"))).isLessThan((3L * live + 1000) * 200 + REVISIONS * 1000);
            catalog.stop(Duration.ofSeconds(5));
        } finally {
            database.stop(Duration.ZERO);
        }
    }

    private static Map<String, String> applied(Map<String, String> before, ByteArrayOutputStream changes)
            throws Exception {
        Map<String, String> after = new TreeMap<>(before);
        for (String line : changes.toString(StandardCharsets.UTF_8).lines().toList()) {
            JsonNode change = JSON.readTree(line);
            if (change.path("op").asText().equals("put")) {
                after.put(change.path("key").asText(), change.path("body").toString());
            } else {
                after.remove(change.path("key").asText());
            }
        }
        return after;
    }

    private static void write(Path feed, Map<String, String> content) throws Exception {
        StringBuilder lines = new StringBuilder();
        content.forEach((key, body) -> lines.append("{\"key\":\"").append(key).append("\",\"body\":").append(body)
                .append("}\n"));
        Files.writeString(feed, lines);
    }

    private static long number(Database database, String query) throws Exception {
        return database.<Long, RuntimeException>inTransaction("test", Duration.ofSeconds(10), connection -> {
            try (Statement statement = connection.createStatement(); ResultSet row = statement.executeQuery(query)) {
                row.next();
                return row.getLong(1);
            }
        });
    }
}
