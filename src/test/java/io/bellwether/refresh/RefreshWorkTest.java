package io.bellwether.refresh;

import static io.bellwether.refresh.Bench.numbered;
import static io.bellwether.refresh.Bench.sorted;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.bellwether.database.Notifications;
import io.bellwether.lease.RunProgress;
import io.bellwether.lease.RunResult;
import io.bellwether.lease.RunResult.State;
import io.bellwether.policy.SetDefinition.DuplicateKeys;
import io.bellwether.policy.SetDefinition.Guard;
import io.bellwether.testing.TestLease;
import io.bellwether.testing.TestSets;

/** What a run makes of a feed: a revision and its delta, nothing, or a refusal. */
class RefreshWorkTest {
    @TempDir
    private Path folder;
    private Bench bench;

    @BeforeEach
    void open() throws Exception {
        bench = new Bench(folder);
    }

    @AfterEach
    void close() throws Exception {
        bench.close();
    }

    @Test
    void perform_firstFeed_publishesAllOfItAsTheFirstRevision() throws Exception {
        TestSets.Inserted set = bench.set("demo");
        long before = bench.number("select heads_version from instance");
        Map<String, String> policies = new LinkedHashMap<>();
        policies.put("b", "{\"n\" : 1.10}");
        policies.put("a\"\\\u0001\t", "[ 1,2 ]");
        policies.put("é\ud83d\ude00", "\"\\u0000\"");
        policies.put("aa", "null");
        bench.feed("demo", policies);
        RunResult result;
        try (Notifications notifications = new Notifications(bench.database, "bellwether")) {
            result = bench.run(set);
            assertThat(notifications.await(Duration.ofSeconds(10))).containsExactly("demo");
        }
        assertThat(result).isEqualTo(RunResult.published(1, 4, 0, 0));
        assertThat(bench.head(set)).isEqualTo(sorted(policies));
        assertThat(bench.rows(set)).isEqualTo(sorted(policies));
        assertThat(bench.number("select heads_version from instance")).isEqualTo(before + 1);
        assertThat(bench.number("select version from policy_set")).isEqualTo(before + 1);
        assertThat(bench.number("select count(*) from revision where not has_delta and upserts = 4 and deletes = 0"
                + " and run_id = (select run_id from run) and process = 'test'")).isEqualTo(1);
        assertThat(bench.meters.scrape()).contains("bellwether_refresh_rows_total{op=\"upsert\",set=\"demo\"} 4.0")
                .contains("bellwether_segments_built_total 1.0");
    }

    @Test
    void perform_newChangedDeletedAndUnchanged_areToldApart() throws Exception {
        TestSets.Inserted set = bench.set("demo");
        bench.feed("demo", Map.of("a", "1", "b", "2", "c", "3", "d", "4", "e", "5"));
        bench.run(set);
        Map<String, String> next = Map.of("a", "1", "b", "22", "d", "4", "e", "5", "f", "6");
        bench.feed("demo", next);
        assertThat(bench.run(set)).isEqualTo(RunResult.published(2, 2, 1, 3));
        assertThat(bench.head(set)).isEqualTo(sorted(next));
        assertThat(bench.rows(set)).isEqualTo(sorted(next));
        assertThat(bench.revision(set, 1)).hasSize(5).containsEntry("c", "3");
        assertThat(bench.delta(set, 2)).containsExactly(Map.entry("b", "22"), Map.entry("c", Bench.DELETED),
                Map.entry("f", "6"));
    }

    @Test
    void perform_sameFeedInAnotherOrder_publishesNothing() throws Exception {
        TestSets.Inserted set = bench.set("demo");
        bench.feed("demo", Bench.line("a", "1") + Bench.line("b", "2"));
        bench.run(set);
        long version = bench.number("select heads_version from instance");
        bench.feed("demo", "[{\"body\":2,\"key\":\"b\"},\n{\"key\":\"\\u0061\",\"body\":1}]");
        assertThat(bench.run(set)).isEqualTo(RunResult.unchanged(2, null));
        assertThat(bench.number("select heads_version from instance")).isEqualTo(version);
        assertThat(bench.number("select count(*) from revision")).isEqualTo(1);
    }

    @Test
    void perform_sourceSaysNotModified_readsNothing() throws Exception {
        TestSets.Inserted set = bench.set("demo");
        bench.feed("demo", Map.of("a", "1"));
        Files.setLastModifiedTime(bench.file("demo"), FileTime.from(Instant.now().minusSeconds(60)));
        assertThat(bench.run(set).state()).isEqualTo(State.PUBLISHED);
        RunResult result = bench.run(set);
        assertThat(result.state()).isEqualTo(State.UNCHANGED);
        assertThat(result.reason()).contains("not modified");
        // The validators belong to the source they came from: with other headers the feed is read again.
        bench.execute(
                "update policy_set set definition = jsonb_set(definition, '{source,headers}', '{\"X-Key\":\"k\"}')");
        assertThat(bench.run(set)).isEqualTo(RunResult.unchanged(1, null));
        assertThat(bench.run(set).reason()).contains("not modified");
    }

    @Test
    void perform_duplicateKeysRefused_listsTheFirstTwentyWithTheirLines() throws Exception {
        TestSets.Inserted set = bench.set("demo");
        bench.feed("demo", Map.of("k0", "0"));
        bench.run(set);
        StringBuilder feed = new StringBuilder();
        for (int i = 0; i < 50; i++) {
            feed.append(Bench.line("k" + i % 25, "1"));
        }
        bench.feed("demo", feed.toString());
        RunResult result = bench.run(set);
        assertThat(result.state()).isEqualTo(State.REFUSED);
        assertThat(result.reason()).startsWith("25 policies have a key that came before: line 26: \"k0\", line 27: ")
                .contains("line 45: \"k19\", and 5 more").doesNotContain("line 46");
        assertThat(bench.head(set)).isEqualTo(sorted(Map.of("k0", "0")));
        assertThat(bench.rows(set)).isEqualTo(sorted(Map.of("k0", "0")));
    }

    @Test
    void perform_duplicateKeysLastWins_takesTheLastOfEach() throws Exception {
        TestSets.Inserted set = bench.set("demo", new Guard(1, false, DuplicateKeys.LAST));
        bench.feed("demo", Bench.line("a", "1") + Bench.line("b", "1") + Bench.line("a", "2") + Bench.line("a", "3"));
        assertThat(bench.run(set)).isEqualTo(RunResult.published(1, 2, 0, 0));
        assertThat(bench.head(set)).isEqualTo(sorted(Map.of("a", "3", "b", "1")));
        // Changed and changed back, and repeated as it is: nothing to publish.
        bench.feed("demo", Bench.line("a", "7") + Bench.line("b", "1") + Bench.line("b", "1") + Bench.line("a", "3"));
        assertThat(bench.run(set)).isEqualTo(RunResult.unchanged(2, null));
        // As it is and then changed; new and new again; one gone.
        bench.feed("demo", Bench.line("a", "3") + Bench.line("c", "1") + Bench.line("a", "4") + Bench.line("c", "2"));
        assertThat(bench.run(set)).isEqualTo(RunResult.published(2, 2, 1, 0));
        assertThat(bench.head(set)).isEqualTo(sorted(Map.of("a", "4", "c", "2")));
        assertThat(bench.rows(set)).isEqualTo(sorted(Map.of("a", "4", "c", "2")));
    }

    @Test
    void perform_tooManyDeletes_isRefusedWithCounts() throws Exception {
        TestSets.Inserted set = bench.set("demo");
        bench.feed("demo", numbered(10, 0));
        bench.run(set);
        bench.feed("demo", numbered(6, 0));
        RunResult result = bench.run(set);
        assertThat(result.state()).isEqualTo(State.REFUSED);
        assertThat(result.deletes()).isEqualTo(4);
        assertThat(result.unchanged()).isEqualTo(6);
        assertThat(result.reason()).contains("4 of 10 policies would be deleted, 40.0 %, more than the 30.0 %");
        bench.feed("demo", numbered(7, 0));
        assertThat(bench.run(set)).isEqualTo(RunResult.published(2, 0, 3, 7));
    }

    @Test
    void perform_emptyFeed_isRefusedUnlessAllowed() throws Exception {
        TestSets.Inserted set = bench.set("demo");
        bench.feed("demo", "[]");
        assertThat(bench.run(set).state()).isEqualTo(State.REFUSED);
        bench.feed("demo", numbered(10, 0));
        bench.run(set);
        for (String empty : new String[]{"", "[]", "\n\n", "[ ]\n"}) {
            bench.feed("demo", empty);
            RunResult result = bench.run(set);
            assertThat(result.state()).isEqualTo(State.REFUSED);
            assertThat(result.reason()).contains("empty");
        }
        assertThat(bench.head(set)).hasSize(10);
        bench.execute("update policy_set set definition = jsonb_set(definition, '{guard,allowEmpty}', 'true')");
        bench.feed("demo", "[]");
        assertThat(bench.run(set)).isEqualTo(RunResult.published(2, 0, 10, 0));
        assertThat(bench.head(set)).isEmpty();
        assertThat(bench.run(set)).isEqualTo(RunResult.unchanged(0, null));
        bench.feed("demo", numbered(3, 1));
        assertThat(bench.run(set)).isEqualTo(RunResult.published(3, 3, 0, 0));
        assertThat(bench.head(set)).isEqualTo(sorted(numbered(3, 1)));
    }

    @Test
    void perform_firstFeedEmptyAndAllowed_publishesAnEmptyRevision() throws Exception {
        TestSets.Inserted set = bench.set("demo", new Guard(1, true, DuplicateKeys.REFUSE));
        bench.feed("demo", "[]");
        assertThat(bench.run(set)).isEqualTo(RunResult.published(1, 0, 0, 0));
        assertThat(bench.head(set)).isEmpty();
        assertThat(bench.run(set)).isEqualTo(RunResult.unchanged(0, null));
    }

    @Test
    void perform_badFeed_isRefusedWithTheLine() throws Exception {
        TestSets.Inserted set = bench.set("demo");
        bench.feed("demo", numbered(3, 0));
        bench.run(set);
        for (String bad : new String[]{"{\"key\":\"x\",\"body\":1}\n{\"key\":\"y\"}\n",
                "{\"key\":\"x\",\"body\":1}\nno\n",
                "{\"key\":\"x\",\"body\":1}\n{\"key\":\"y\",\"bo",
                "{\"key\":\"x\",\"body\":1}\n{\"key\":\"\",\"body\":1}"}) {
            bench.feed("demo", bad);
            RunResult result = bench.run(set);
            assertThat(result.state()).as(bad).isEqualTo(State.REFUSED);
            assertThat(result.reason()).contains("line 2");
        }
        assertThat(bench.head(set)).isEqualTo(sorted(numbered(3, 0)));
    }

    @Test
    void perform_feedCannotBeHad_failsWithTheReason() throws Exception {
        TestSets.Inserted set = bench.set("demo");
        RunResult result = bench.run(set);
        assertThat(result.state()).isEqualTo(State.FAILED);
        assertThat(result.reason()).contains("no such file");
    }

    @Test
    void perform_definitionInTheDatabaseIsWrong_failsNamingIt() throws Exception {
        TestSets.Inserted set = bench.set("demo");
        bench.execute("update policy_set set definition = '{\"schedule\":\"x\",\"nonsense\":1}'");
        TestLease lease = TestLease.claim(bench.database, set.jobId());
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> bench.run(lease)).hasMessageContaining("nonsense");
    }

    @Test
    void perform_atItsEnd_showsNoProgressAnyMore() throws Exception {
        TestSets.Inserted set = bench.set("demo");
        bench.feed("demo", numbered(5000, 0));
        List<String> phases = new CopyOnWriteArrayList<>();
        bench.run(TestLease.claim(bench.database, set.jobId()).onProgress(phases::add));
        assertThat(phases).contains("fetch", "diff", "build", "publish");
        assertThat(bench.meters.scrape()).contains("bellwether_refresh_progress_rows{set=\"demo\"} 0.0")
                .contains("bellwether_refresh_progress_remaining_seconds{set=\"demo\"} 0.0");
    }

    @Test
    void progress_withAShareDone_tellsRateAndTimeLeft() {
        RunProgress progress = RunProgress.of("diff", 41_000, 33_000_000, Duration.ofSeconds(10), 0.4);
        assertThat(progress.left()).isEqualTo(Duration.ofSeconds(15));
        assertThat(RunWatch.words(progress)).isEqualTo(
                "diff, 41,000 policies, 33.0 MB so far, 4,100 policies/s, 3.3 MB/s, 40 %, about 15 s left");
        assertThat(RunWatch.words(RunProgress.of("diff", 41_000, 0, Duration.ofSeconds(10), 0)))
                .isEqualTo("diff, 41,000 policies, 0.0 MB so far, 4,100 policies/s, 0.0 MB/s");
    }

    @Test
    void perform_thirtyRandomStates_eachDeltaLeadsFromOneRevisionToTheNext() throws Exception {
        TestSets.Inserted set = bench.set("demo", new Guard(1, true, DuplicateKeys.REFUSE));
        Random random = new Random(5);
        SortedMap<String, String> state = new TreeMap<>(Bench.BY_BYTES);
        SortedMap<String, String> seen = new TreeMap<>(Bench.BY_BYTES);
        long revision = 0;
        for (int step = 0; step < 30; step++) {
            int changes = random.nextInt(step % 7 == 6 ? 400 : 30);
            for (int i = 0; i < changes; i++) {
                String key = "k/" + random.nextInt(500) + (random.nextInt(9) == 0 ? "/\u0130\"" : "");
                if (random.nextInt(3) == 0) {
                    state.remove(key);
                } else {
                    state.put(key,
                            "{\"v\":" + random.nextInt(9) + ",\"pad\":\"" + "x".repeat(random.nextInt(3000)) + "\"}");
                }
            }
            bench.feed("demo", state);
            RunResult result = bench.run(set);
            assertThat(bench.head(set)).isEqualTo(state);
            assertThat(bench.rows(set)).isEqualTo(state);
            if (result.state() == State.PUBLISHED) {
                revision++;
                assertThat(result.revision()).isEqualTo(revision);
                if (bench.number("select count(*) from revision where has_delta and revision = " + revision) == 1) {
                    for (Map.Entry<String, String> change : bench.delta(set, revision)) {
                        String had = change.getValue().equals(Bench.DELETED)
                                ? seen.remove(change.getKey())
                                : seen.put(change.getKey(), change.getValue());
                        assertThat(had).isNotEqualTo(change.getValue());
                    }
                } else {
                    seen = new TreeMap<>(state);
                }
            }
            assertThat(seen).isEqualTo(state);
        }
        assertThat(revision).isGreaterThan(20);
        assertThat(bench.number("select count(*) from revision where has_delta")).isGreaterThan(revision / 2);
    }

    @Test
    void perform_policiesGrewFarBeyondTheFirst_cutsTheSetAnew() throws Exception {
        TestSets.Inserted set = bench.set("demo", new Guard(1, true, DuplicateKeys.REFUSE));
        bench.feed("demo", numbered(20, 0));
        bench.run(set);
        assertThat(bench.number("select segment_bits from policy_set")).isGreaterThan(8);
        Map<String, String> large = new LinkedHashMap<>();
        for (int i = 0; i < 3000; i++) {
            large.put("k" + i, "\"" + "x".repeat(3000) + i + "\"");
        }
        bench.feed("demo", large);
        assertThat(bench.run(set).state()).isEqualTo(State.PUBLISHED);
        assertThat(bench.number("select segment_bits from policy_set")).isBetween(2L, 4L);
        assertThat(bench.number("select count(*) from manifest_entry where removed_in is null")).isBetween(150L,
                1000L);
        assertThat(bench.head(set)).isEqualTo(sorted(large));
        assertThat(bench.revision(set, 1)).isEqualTo(sorted(numbered(20, 0)));
        // Not worth a delta: larger than half of the set.
        assertThat(bench.number("select count(*) from revision where has_delta")).isZero();
        large.put("k7", "1");
        bench.feed("demo", large);
        bench.run(set);
        assertThat(bench.number("select count(*) from manifest_entry where added_in = 3")).isEqualTo(1);
        assertThat(bench.head(set)).isEqualTo(sorted(large));
    }
}
