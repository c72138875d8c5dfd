package io.bellwether.refresh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.bellwether.lease.LeaseLostException;
import io.bellwether.lease.RunResult;
import io.bellwether.testing.Eventually;
import io.bellwether.testing.TestLease;
import io.bellwether.testing.TestSets;

class RetentionWorkTest {
    @TempDir
    private Path folder;
    private Bench bench;
    private TestSets.Inserted set;
    private long job;
    private RetentionWork retention;

    @BeforeEach
    void publishFiveRevisionsOfWhichTwoAreKept() throws Exception {
        bench = new Bench(folder);
        set = bench.set("demo");
        bench.execute("update policy_set set definition = jsonb_set(definition, '{keepRevisions}', '2')");
        for (int revision = 1; revision <= 5; revision++) {
            bench.feed("demo", Map.of("a", "" + revision, "b", "1"));
            bench.run(set);
        }
        bench.execute("insert into job (name, kind, schedule) values ('retention', 'retention', '0 0 * * * *')");
        job = bench.number("select job_id from job where kind = 'retention'");
        retention = new RetentionWork(bench.database);
    }

    @AfterEach
    void close() throws Exception {
        bench.close();
    }

    @Test
    void perform_revisionsYoungerThanADay_keepsAll() throws Exception {
        bench.execute("update segment set touched_at = clock_timestamp() - interval '2 days'");
        assertThat(run()).isEqualTo(RunResult.unchanged(0, null));
        for (int revision = 1; revision <= 5; revision++) {
            assertThat(bench.revision(set, revision)).containsEntry("a", "" + revision);
        }
    }

    @Test
    void perform_oldRevisions_keepsTheLastOnesAndWhatTheyConsistOf() throws Exception {
        long version = bench.number("select heads_version from instance");
        bench.execute("update revision set published_at = clock_timestamp() - interval '2 days'");
        bench.execute("update segment set touched_at = clock_timestamp() - interval '2 days'");
        assertThat(run().reason()).isEqualTo("removed 3 revisions, 3 entries of manifests and 0 segments");
        assertThat(bench.number("select min(revision) from revision")).isEqualTo(4);
        assertThat(bench.number("select count(*) from manifest_entry")).isEqualTo(2);
        assertThat(bench.number("select count(*) from delta_entry")).isEqualTo(2);
        assertThat(bench.number("select heads_version from instance")).isEqualTo(version + 1);
        assertThat(bench.number("select version from policy_set")).isEqualTo(version + 1);
        // A reader may be on its way to what was named a moment ago.
        long segments = bench.number("select count(*) from segment");
        bench.execute("update segment set touched_at = clock_timestamp() - interval '2 hours'");
        assertThat(run().reason()).isEqualTo("removed 0 revisions, 0 entries of manifests and 5 segments");
        assertThat(bench.number("select count(*) from segment")).isEqualTo(segments - 5);
        assertThat(bench.revision(set, 4)).containsEntry("a", "4");
        assertThat(bench.revision(set, 5)).containsEntry("a", "5");
        assertThat(bench.delta(set, 5)).containsExactly(Map.entry("a", "5"));
        assertThat(run()).isEqualTo(RunResult.unchanged(0, null));
        bench.feed("demo", Map.of("a", "1", "b", "1"));
        assertThat(bench.run(set).revision()).isEqualTo(6);
        assertThat(bench.head(set)).containsEntry("a", "1");
    }

    @Test
    void perform_moreEndedEntriesThanAllowed_givesUpTheOldestContentsAndKeepsTheirChanges() throws Exception {
        // One is live, so a thousand and two may have ended: as if each revision so far had ended 400 entries.
        for (int revision = 2; revision <= 5; revision++) {
            bench.execute("""
                    insert into manifest_entry (set_id, first_key, added_in, removed_in, sha256, raw_sha256, bytes,
                        raw_bytes, policies)
                    select m.set_id, 'x%2$d'::bytea || int4send(n), %1$d, %2$d, m.sha256, m.raw_sha256, 1, 1, 1
                    from manifest_entry m, generate_series(1, 399) n where removed_in is null"""
                    .formatted(revision - 1, revision));
        }
        long version = bench.number("select heads_version from instance");
        assertThat(run().reason()).isEqualTo("removed 0 revisions, 800 entries of manifests and 0 segments");
        assertThat(bench.number("select contents_from from policy_set")).isEqualTo(3);
        assertThat(bench.number("select min(removed_in) from manifest_entry")).isEqualTo(4);
        assertThat(bench.number("select count(*) from manifest_entry where removed_in is not null")).isEqualTo(800);
        assertThat(bench.number("select count(*) from revision")).isEqualTo(5);
        assertThat(bench.number("select count(distinct revision) from delta_entry")).isEqualTo(4);
        assertThat(bench.number("select heads_version from instance")).isEqualTo(version + 1);
        assertThat(run()).isEqualTo(RunResult.unchanged(0, null));
        assertThat(bench.run(TestLease.claim(bench.database, set.jobId()).asking("{\"rollback\":2}")).reason())
                .isEqualTo("revision 2 of demo is not kept any more");
    }

    @Test
    void perform_moreEndedEntriesThanAllowed_leavesTheLastRevisionsAlone() throws Exception {
        bench.execute("""
                insert into manifest_entry (set_id, first_key, added_in, removed_in, sha256, raw_sha256, bytes,
                    raw_bytes, policies)
                select m.set_id, 'x'::bytea || int4send(n), 4, 5, m.sha256, m.raw_sha256, 1, 1, 1
                from manifest_entry m, generate_series(1, 3000) n where removed_in is null""");
        assertThat(run().reason()).isEqualTo("removed 0 revisions, 3 entries of manifests and 0 segments");
        assertThat(bench.number("select contents_from from policy_set")).isEqualTo(4);
        assertThat(bench.number("select count(*) from manifest_entry where removed_in = 5")).isEqualTo(3001);
    }

    @Test
    void perform_oneRevisionYoung_keepsWhatIsNewerThanIt() throws Exception {
        bench.execute("update revision set published_at = clock_timestamp() - interval '2 days' where revision <> 3");
        run();
        assertThat(bench.number("select min(revision) from revision")).isEqualTo(3);
        assertThat(bench.revision(set, 3)).containsEntry("a", "3");
    }

    @Test
    void perform_segmentTouchedDuringARunThatIsStillOn_keepsIt() throws Exception {
        bench.execute("insert into segment values (sha256('x'), 'x', clock_timestamp() - interval '2 hours')");
        TestLease busy = TestLease.claim(bench.database, set.jobId());
        bench.execute("update run set claimed_at = clock_timestamp() - interval '3 hours' where run_id = "
                + busy.runId());
        assertThat(run()).isEqualTo(RunResult.unchanged(0, null));
        busy.record(RunResult.failed("over"));
        assertThat(run().reason()).isEqualTo("removed 0 revisions, 0 entries of manifests and 1 segments");
    }

    @Test
    void perform_segmentTouchedWhileItIsBeingRemoved_keepsIt() throws Exception {
        // The statement has seen the segment as old; before it gets the row, a refresh touches it and commits.
        bench.execute("insert into segment values (sha256('x'), 'x', clock_timestamp() - interval '2 hours')");
        try (ExecutorService threads = Executors.newSingleThreadExecutor();
                Connection refresh = bench.database.dedicatedConnection("toucher");
                Statement statement = refresh.createStatement()) {
            statement.execute("begin; insert into segment values (sha256('x'), 'x') on conflict (sha256)"
                    + " do update set touched_at = clock_timestamp()");
            Future<RunResult> run = threads.submit(this::run);
            Eventually.eventually("the removal waits", Duration.ofSeconds(10),
                    () -> bench.number("select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                            + " and datname = current_database()") == 1);
            statement.execute("commit");
            assertThat(run.get(10, TimeUnit.SECONDS)).isEqualTo(RunResult.unchanged(0, null));
        }
        assertThat(bench.number("select count(*) from segment where sha256 = sha256('x')")).isEqualTo(1);
    }

    // Retention raised the counter before it locked the set, a publish does it the other way round: PostgreSQL ended
    // one of the two with a deadlock, which was the publish.
    @Test
    void perform_whileAPublishHoldsTheSet_waitsWithoutHoldingTheCounter() throws Exception {
        bench.execute("update revision set published_at = clock_timestamp() - interval '2 days'");
        try (Connection publish = bench.database.dedicatedConnection("test");
                Statement statement = publish.createStatement();
                ExecutorService thread = Executors.newSingleThreadExecutor()) {
            publish.setAutoCommit(false);
            statement.execute("select from policy_set for update");
            Future<RunResult> result = thread.submit(this::run);
            Eventually.eventually("retention waits for the set", Duration.ofSeconds(20), () -> bench.number("""
                    select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like '%policy_set%'
                        and datname = current_database()""") == 1);
            statement.execute("set local lock_timeout = '5s'");
            statement.execute("update instance set heads_version = heads_version + 1");
            publish.commit();
            assertThat(result.get(20, TimeUnit.SECONDS).state()).isNotEqualTo(RunResult.State.FAILED);
        }
        assertThat(bench.number("select count(*) from revision")).isEqualTo(2);
    }

    @Test
    void perform_leaseLost_stops() throws Exception {
        TestLease lease = TestLease.claim(bench.database, job);
        lease.lose();
        assertThatThrownBy(() -> retention.perform(lease)).isInstanceOf(LeaseLostException.class);
    }

    private RunResult run() throws Exception {
        TestLease lease = TestLease.claim(bench.database, job);
        RunResult result = retention.perform(lease);
        lease.record(result);
        return result;
    }
}
