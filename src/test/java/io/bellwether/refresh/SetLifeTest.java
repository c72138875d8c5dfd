package io.bellwether.refresh;

import static io.bellwether.refresh.Bench.numbered;
import static io.bellwether.refresh.Bench.sorted;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.bellwether.admin.SetAdmin;
import io.bellwether.lease.LeaseLostException;
import io.bellwether.lease.RunResult;
import io.bellwether.lease.RunResult.State;
import io.bellwether.policy.SetDefinitionJson;
import io.bellwether.testing.TestLease;
import io.bellwether.testing.TestSets;

/** Sets are deleted, renamed, made again and lie beside others: what becomes of their policies and segments. */
class SetLifeTest {
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
    void perform_setMadeAgainUnderItsName_goesOnFromTheLastRevision() throws Exception {
        TestSets.Inserted set = bench.set("demo");
        bench.execute("update policy_set set revision = 41");
        bench.feed("demo", numbered(3, 0));
        assertThat(bench.run(set)).isEqualTo(RunResult.published(42, 3, 0, 0));
        assertThat(bench.head(set)).isEqualTo(sorted(numbered(3, 0)));
        assertThat(bench.number("select count(*) from revision where has_delta")).isZero();
    }

    @Test
    void perform_setDeletedAfterwards_takesItsPoliciesAlong() throws Exception {
        TestSets.Inserted set = bench.set("demo");
        TestSets.Inserted other = bench.set("other");
        bench.feed("demo", numbered(3, 0));
        bench.feed("other", numbered(2, 0));
        bench.run(set);
        bench.run(other);
        bench.execute("delete from policy_set where name = 'demo'");
        assertThat(bench.number("select count(*) from policy")).isEqualTo(2);
        assertThat(bench.head(other)).hasSize(2);
    }

    @Test
    void perform_twoSetsOfTheSameContent_shareSegments() throws Exception {
        TestSets.Inserted one = bench.set("one");
        TestSets.Inserted two = bench.set("two");
        Map<String, String> policies = numbered(2000, 0);
        bench.feed("one", policies);
        bench.feed("two", policies);
        bench.run(one);
        long segments = bench.number("select count(*) from segment");
        bench.run(two);
        assertThat(bench.number("select count(*) from segment")).isEqualTo(segments);
        assertThat(bench.head(two)).isEqualTo(bench.head(one));
        assertThat(bench.number("select count(distinct content_sha256) from revision")).isEqualTo(1);
    }

    /** A set has no name but its name: a new one is another set, of the same segments. */
    @Test
    void perform_setRenamed_theNewOneSharesTheSegmentsAndOutlivesTheOldOne() throws Exception {
        TestSets.Inserted old = bench.set("old");
        Map<String, String> policies = numbered(500, 0);
        bench.feed("old", policies);
        bench.run(old);
        bench.run(old);
        SetAdmin admin = new SetAdmin(bench.database, url -> Optional.empty());
        TestSets.Inserted renamed = bench.set("new", bench.file("old").toUri());
        assertThat(bench.run(renamed)).isEqualTo(RunResult.published(1, 500, 0, 0));
        long segments = bench.number("select count(*) from segment");
        assertThat(admin.delete("old")).isTrue();
        bench.execute("update segment set touched_at = clock_timestamp() - interval '2 days'");
        bench.execute("insert into job (name, kind, schedule) values ('retention', 'retention', '0 0 * * * *')");
        TestLease retention = TestLease.claim(bench.database,
                bench.number("select job_id from job where kind = 'retention'"));
        retention.record(new RetentionWork(bench.database).perform(retention));
        assertThat(bench.number("select count(*) from segment")).isEqualTo(segments);
        assertThat(bench.head(renamed)).isEqualTo(sorted(policies)).isEqualTo(bench.rows(renamed));
        assertThat(bench.number("select count(*) from policy")).isEqualTo(500);
        // And back again: the name goes on where it ended.
        assertThat(admin.delete("new")).isTrue();
        assertThat(admin.put("old", SetDefinitionJson.write(TestSets.definition(bench.file("old").toUri()), true))
                .change().text()).isEqualTo("created");
        TestSets.Inserted again = new TestSets.Inserted(bench.number("select set_id from policy_set"),
                bench.number("select job_id from job where name = 'old'"), "old");
        assertThat(bench.run(again)).isEqualTo(RunResult.published(2, 500, 0, 0));
        assertThat(bench.number("select count(*) from segment")).isEqualTo(segments);
    }

    @Test
    void perform_setDeletedInMidRun_publishesNothingAndLeavesNothing() throws Exception {
        SetAdmin admin = new SetAdmin(bench.database, url -> Optional.empty());
        for (String phase : List.of("diff", "build", "publish")) {
            TestSets.Inserted set = bench.set("demo");
            bench.feed("demo", numbered(50, 0));
            bench.run(set);
            bench.feed("demo", numbered(50, 1));
            AtomicBoolean deleted = new AtomicBoolean();
            TestLease lease = TestLease.claim(bench.database, set.jobId()).onProgress(now -> {
                if (now.equals(phase) && deleted.compareAndSet(false, true)) {
                    try {
                        assertThat(admin.delete("demo")).isTrue();
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                }
            });
            try {
                assertThat(bench.work.perform(lease).state()).as(phase).isEqualTo(State.FAILED);
            } catch (LeaseLostException | SQLException | RuntimeException e) {
                // Kept out at whatever statement came next.
                assertThat(e.getMessage()).as(phase).isNotBlank();
            }
            assertThat(deleted).isTrue();
            for (String table : List.of("policy_set", "policy", "revision", "manifest_entry", "delta_entry", "job",
                    "run")) {
                assertThat(bench.number("select count(*) from " + table)).as(table + " after " + phase).isZero();
            }
        }
    }
}
