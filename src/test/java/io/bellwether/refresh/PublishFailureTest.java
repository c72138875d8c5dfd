package io.bellwether.refresh;

import static io.bellwether.refresh.Bench.numbered;
import static io.bellwether.refresh.Bench.sorted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.bellwether.lease.LeaseLostException;
import io.bellwether.lease.RunResult;
import io.bellwether.lease.RunResult.State;
import io.bellwether.settings.Settings;
import io.bellwether.testing.Eventually;
import io.bellwether.testing.TestLease;
import io.bellwether.testing.TestPostgres;
import io.bellwether.testing.TestSets;

/**
 * What goes wrong once a feed is staged, from the diff to the commit: in every case readers see what they saw before, and
 * the next run works.
 */
class PublishFailureTest {
    @TempDir
    private Path folder;
    private Bench bench;
    private TestSets.Inserted set;
    private final Map<String, String> first = numbered(50, 1);
    private final Map<String, String> second = numbered(60, 2);

    @BeforeEach
    void publishOnce() throws Exception {
        bench = new Bench(folder);
        set = bench.set("demo");
        bench.feed("demo", first);
        bench.run(set);
        bench.feed("demo", second);
    }

    @AfterEach
    void close() throws Exception {
        bench.close();
    }

    @Test
    void perform_takenOverBeforeItsPublish_publishesNothing() throws Exception {
        TestLease lease = TestLease.claim(bench.database, set.jobId());
        lease.beforeFence(() -> unchecked(lease::takeOver));
        assertThatThrownBy(() -> bench.run(lease)).isInstanceOf(LeaseLostException.class);
        assertThat(lease.state()).isEqualTo("abandoned");
        nothingWasPublishedAndTheNextRunWorks();
    }

    @Test
    void perform_headMovedMeanwhile_publishesNothingAndSaysSo() throws Exception {
        TestLease lease = TestLease.claim(bench.database, set.jobId());
        lease.beforeFence(() -> unchecked(() -> bench.execute("update policy_set set revision = 7")));
        RunResult result = bench.run(lease);
        assertThat(result.state()).isEqualTo(State.FAILED);
        assertThat(result.reason()).isEqualTo("the head moved from revision 1 to 7 while the refresh ran");
        bench.execute("update policy_set set revision = 1");
        nothingWasPublishedAndTheNextRunWorks();
    }

    @Test
    void perform_setDeletedMeanwhile_publishesNothing() throws Exception {
        TestLease lease = TestLease.claim(bench.database, set.jobId());
        lease.beforeFence(() -> unchecked(() -> bench.execute("delete from job")));
        assertThatThrownBy(() -> bench.work.perform(lease)).isInstanceOf(LeaseLostException.class);
        assertThat(bench.head(set)).isEqualTo(sorted(first));
    }

    @ParameterizedTest
    @ValueSource(strings = {"diff", "build", "publish"})
    void perform_connectionLostAsAPhaseBegins_publishesNothing(String phase) throws Exception {
        TestLease lease = TestLease.claim(bench.database, set.jobId());
        killBackendIn(phase, lease);
        assertThatThrownBy(() -> bench.run(lease)).isInstanceOf(SQLException.class);
        nothingWasPublishedAndTheNextRunWorks();
    }

    @ParameterizedTest
    @ValueSource(strings = {"build", "publish"})
    void perform_connectionLostInAFirstLoad_leavesNothing(String phase) throws Exception {
        TestSets.Inserted other = bench.set("other");
        bench.feed("other", second);
        TestLease lease = TestLease.claim(bench.database, other.jobId());
        killBackendIn(phase, lease);
        assertThatThrownBy(() -> bench.run(lease)).isInstanceOf(SQLException.class);
        assertThat(bench.number("select revision from policy_set where name = 'other'")).isZero();
        assertThat(bench.rows(other)).isEmpty();
        assertThat(bench.run(other)).isEqualTo(RunResult.published(1, 60, 0, 0));
        assertThat(bench.head(other)).isEqualTo(sorted(second));
    }

    @Test
    void perform_connectionLostRightBeforeTheFence_publishesNothing() throws Exception {
        TestLease lease = TestLease.claim(bench.database, set.jobId());
        lease.beforeFence(() -> unchecked(bench::killBackend));
        assertThatThrownBy(() -> bench.run(lease)).isInstanceOf(SQLException.class);
        nothingWasPublishedAndTheNextRunWorks();
    }

    @Test
    void perform_leaseLostWhileAStatementWaits_endsAtOnce() throws Exception {
        TestLease lease = TestLease.claim(bench.database, set.jobId());
        whileThePublishWaits(lease, run -> {
            lease.lose();
            assertThatThrownBy(() -> run.get(10, TimeUnit.SECONDS)).cause().isInstanceOf(LeaseLostException.class);
            // The transaction is gone although the lock that it waits for is not.
            bench.awaitNoBackend();
        });
        nothingWasPublishedAndTheNextRunWorks();
    }

    @Test
    void perform_toldToStopWhileAStatementWaits_endsAtOnce() throws Exception {
        TestLease lease = TestLease.claim(bench.database, set.jobId());
        whileThePublishWaits(lease, run -> {
            lease.tellToStop();
            assertThatThrownBy(() -> run.get(10, TimeUnit.SECONDS)).cause().isInstanceOf(InterruptedException.class);
            bench.awaitNoBackend();
        });
        nothingWasPublishedAndTheNextRunWorks();
    }

    @ParameterizedTest
    @EnumSource(value = CuttingProxy.Cut.class, names = {"BEFORE_COMMIT", "AFTER_COMMIT"})
    void perform_connectionCutAroundCommit_tellsWhatBecameOfIt(CuttingProxy.Cut cut) throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(TestPostgres.port())) {
            Settings.Database settings = bench.settings;
            Bench cutOff = new Bench(folder, new Settings.Database(
                    settings.url().replace(":" + TestPostgres.port() + "/", ":" + proxy.port() + "/"), settings.user(),
                    settings.password(), settings.poolSize()));
            TestLease lease = TestLease.claim(bench.database, set.jobId());
            lease.beforeFence(() -> proxy.cutNext(cut));
            RunResult result = cutOff.work.perform(lease);
            if (cut == CuttingProxy.Cut.AFTER_COMMIT) {
                assertThat(result).isEqualTo(RunResult.published(2, 60, 0, 0));
                assertThat(lease.state()).isEqualTo("published");
                assertThat(bench.head(set)).isEqualTo(sorted(second));
            } else {
                assertThat(result.state()).isEqualTo(State.FAILED);
                lease.record(result);
                nothingWasPublishedAndTheNextRunWorks();
            }
            cutOff.close();
        }
    }

    /** What the test does while the publishing transaction waits for a lock. */
    private interface Meanwhile {
        void act(Future<RunResult> run) throws Exception;
    }

    private void whileThePublishWaits(TestLease lease, Meanwhile meanwhile) throws Exception {
        try (ExecutorService threads = Executors.newSingleThreadExecutor();
                Connection blocker = bench.database.dedicatedConnection("blocker");
                Statement statement = blocker.createStatement()) {
            statement.execute("begin; lock table manifest_entry in share mode");
            Future<RunResult> run = threads.submit(() -> bench.run(lease));
            Eventually.eventually("the publish waits", Duration.ofSeconds(10),
                    () -> bench.number("select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                            + " and application_name = 'bellwether-refresh' and datname = current_database()") == 1);
            meanwhile.act(run);
            statement.execute("rollback");
        }
    }

    private void killBackendIn(String phase, TestLease lease) {
        AtomicBoolean killed = new AtomicBoolean();
        lease.onProgress(name -> {
            if (name.equals(phase) && killed.compareAndSet(false, true)) {
                unchecked(bench::killBackend);
            }
        });
    }

    private void nothingWasPublishedAndTheNextRunWorks() throws Exception {
        assertThat(bench.number("select revision from policy_set where name = 'demo'")).isEqualTo(1);
        assertThat(bench.head(set)).isEqualTo(sorted(first));
        assertThat(bench.rows(set)).isEqualTo(sorted(first));
        assertThat(bench.number("select count(*) from revision")).isEqualTo(1);
        assertThat(bench.run(set)).isEqualTo(RunResult.published(2, 60, 0, 0));
        assertThat(bench.head(set)).isEqualTo(sorted(second));
        assertThat(bench.rows(set)).isEqualTo(sorted(second));
    }

    /** An action that may throw what a test cannot go on after. */
    private interface Action {
        void run() throws Exception;
    }

    private static void unchecked(Action action) {
        try {
            action.run();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
