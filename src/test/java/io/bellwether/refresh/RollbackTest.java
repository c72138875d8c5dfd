package io.bellwether.refresh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.bellwether.lease.LeaseLostException;
import io.bellwether.lease.RunResult;
import io.bellwether.lease.RunResult.State;
import io.bellwether.policy.SetDefinition.DuplicateKeys;
import io.bellwether.policy.SetDefinition.Guard;
import io.bellwether.testing.TestLease;
import io.bellwether.testing.TestSets;

class RollbackTest {
    private static final Guard NONE = new Guard(1, true, DuplicateKeys.LAST);

    @TempDir
    private Path folder;
    private Bench bench;
    private TestSets.Inserted set;

    @BeforeEach
    void open() throws Exception {
        bench = new Bench(folder);
        set = bench.set("demo", NONE);
    }

    @AfterEach
    void close() throws Exception {
        bench.close();
    }

    @Test
    void rollback_toAKeptRevision_isTheNextRevisionWithItsContentAndHash() throws Exception {
        publish(Map.of("a", "1", "b", "1", "c", "1"));
        publish(Map.of("a", "1", "b", "2", "d", "2"));
        publish(Map.of("a", "3", "b", "2", "d", "2"));
        assertThat(rollback(1)).isEqualTo(RunResult.published(4, 3, 1, 0));
        assertThat(bench.head(set)).isEqualTo(bench.revision(set, 1)).isEqualTo(bench.rows(set));
        assertThat(bench.number("select count(distinct content_sha256) from revision where revision in (1, 4)"))
                .isEqualTo(1);
        assertThat(bench.delta(set, 4)).containsExactly(Map.entry("a", "1"), Map.entry("b", "1"),
                Map.entry("c", "1"), Map.entry("d", Bench.DELETED));
        assertThat(bench.revision(set, 3)).isEqualTo(new TreeMap<>(Map.of("a", "3", "b", "2", "d", "2")));
        // The source has the other content still: the job waits for an operator.
        assertThat(bench.number("select count(*) from job where paused_until = 'infinity'"
                + " and pause_reason like 'rolled back to revision 1 by run %'")).isEqualTo(1);
    }

    @Test
    void refresh_afterARollback_readsTheFeedAgainAlthoughItsValidatorsAreKnown() throws Exception {
        publish(Map.of("a", "1"));
        publish(Map.of("a", "2"));
        Files.setLastModifiedTime(bench.file("demo"), FileTime.from(Instant.now().minusSeconds(60)));
        assertThat(bench.run(set).state()).isEqualTo(State.UNCHANGED);
        assertThat(rollback(1).revision()).isEqualTo(3);
        // A "not modified" here would leave the old content for ever.
        assertThat(bench.run(set)).isEqualTo(RunResult.published(4, 1, 0, 0));
        assertThat(bench.head(set)).containsEntry("a", "2");
    }

    @Test
    void rollback_fromAnEmptySetAndToOne_works() throws Exception {
        publish(Map.of("a", "1", "b", "1"));
        publish(Map.of());
        assertThat(rollback(1)).isEqualTo(RunResult.published(3, 2, 0, 0));
        assertThat(bench.rows(set)).hasSize(2).isEqualTo(bench.head(set));
        assertThat(rollback(2)).isEqualTo(RunResult.published(4, 0, 2, 0));
        assertThat(bench.rows(set)).isEmpty();
        assertThat(bench.head(set)).isEmpty();
    }

    @Test
    void rollback_whereThereIsNothingToDo_saysSo() throws Exception {
        assertThat(rollback(1).state()).isEqualTo(State.FAILED);
        publish(Map.of("a", "1"));
        publish(Map.of("a", "2"));
        publish(Map.of("a", "1"));
        assertThat(rollback(3).reason()).isEqualTo("revision 3 is the head already");
        assertThat(rollback(1).reason()).isEqualTo("the head has the content of revision 1");
        assertThat(rollback(7).reason()).isEqualTo("revision 7 of demo is not kept any more");
        assertThat(bench.number("select count(*) from job where paused_until is not null")).isZero();
        assertThat(bench.number("select revision from policy_set")).isEqualTo(3);
    }

    @Test
    void rollback_takenOverBeforeItsEnd_publishesNothingAndPausesNothing() throws Exception {
        publish(Map.of("a", "1"));
        publish(Map.of("a", "2"));
        TestLease lease = TestLease.claim(bench.database, set.jobId()).asking("{\"rollback\":1}");
        lease.beforeFence(() -> {
            try {
                lease.takeOver();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThatThrownBy(() -> bench.run(lease))
                .isInstanceOf(LeaseLostException.class);
        assertThat(bench.head(set)).containsEntry("a", "2").isEqualTo(bench.rows(set));
        assertThat(bench.number("select count(*) from job where paused_until is not null")).isZero();
    }

    @Test
    void rollback_acrossARecut_keepsTheCutOfItsRevision() throws Exception {
        SortedMap<String, String> small = random(4000, 4, 1);
        SortedMap<String, String> large = random(4000, 6000, 2);
        publish(small);
        publish(large);
        long first = bench.number("select segment_bits from revision where revision = 1");
        assertThat(bench.number("select segment_bits from revision where revision = 2")).isLessThan(first);
        assertThat(rollback(1).revision()).isEqualTo(3);
        assertThat(bench.head(set)).isEqualTo(small);
        assertThat(bench.number("select segment_bits from policy_set")).isEqualTo(first);
        // The next change is cut by the rule of what it changes: one segment, not all of them.
        small.put(small.firstKey(), "\"changed\"");
        long entries = bench.number("select count(*) from manifest_entry");
        publish(small);
        assertThat(bench.number("select count(*) from manifest_entry")).isEqualTo(entries + 1);
    }

    @Test
    void rollback_thirtyTimesAmongRandomStates_eachDeltaLeadsFromOneRevisionToTheNext() throws Exception {
        Random random = new Random(11);
        SortedMap<String, String> state = random(300, 900, 3);
        publish(state);
        for (long revision = 2; revision <= 31; revision++) {
            RunResult result;
            if (revision % 3 == 0) {
                result = rollback(1 + random.nextInt((int) revision - 2));
            } else {
                for (int i = 0; i < 40; i++) {
                    String key = "k" + random.nextInt(500);
                    if (random.nextBoolean()) {
                        state.remove(key);
                    } else {
                        state.put(key, "\"" + random.nextInt() + "\"");
                    }
                }
                bench.feed("demo", state);
                result = bench.run(set);
            }
            assertThat(result.revision()).isEqualTo(revision);
            assertThat(bench.rows(set)).isEqualTo(bench.head(set));
            if (bench.number("select count(*) from revision where has_delta and revision = " + revision) == 1) {
                SortedMap<String, String> followed = bench.revision(set, revision - 1);
                bench.delta(set, revision).forEach(change -> {
                    if (change.getValue().equals(Bench.DELETED)) {
                        assertThat(followed.remove(change.getKey())).isNotNull();
                    } else {
                        assertThat(followed.put(change.getKey(), change.getValue())).isNotEqualTo(change.getValue());
                    }
                });
                assertThat(followed).isEqualTo(bench.head(set));
            }
        }
    }

    private void publish(Map<String, String> policies) throws Exception {
        bench.feed("demo", policies);
        assertThat(bench.run(set).state()).isEqualTo(State.PUBLISHED);
    }

    private RunResult rollback(long to) throws Exception {
        return bench.run(TestLease.claim(bench.database, set.jobId()).asking("{\"rollback\":" + to + "}"));
    }

    private static SortedMap<String, String> random(int policies, int length, long seed) {
        Random random = new Random(seed);
        SortedMap<String, String> state = new TreeMap<>(Bench.BY_BYTES);
        for (int i = 0; i < policies; i++) {
            StringBuilder body = new StringBuilder("\"");
            for (int c = 0; c < length; c++) {
                body.append((char) ('a' + random.nextInt(26)));
            }
            state.put("k" + i, body.append('"').toString());
        }
        return state;
    }
}
