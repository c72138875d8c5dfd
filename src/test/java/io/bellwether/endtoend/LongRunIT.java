package io.bellwether.endtoend;

import static io.bellwether.endtoend.ClusterLogs.Expected.CUT_OFF;
import static io.bellwether.endtoend.ClusterLogs.Expected.TAKEN_OVER;
import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.bellwether.fault.Failpoint;

/** Runs that take longer than they should, and runs that go wrong. Several tests run at a time. */
class LongRunIT {
    private static final Duration SLACK = Duration.ofSeconds(2);

    @SuppressWarnings("NullAway.Init")
    private static FaultCluster cluster;
    @SuppressWarnings("NullAway.Init")
    private static ClusterLogs logs;

    @BeforeAll
    static void cluster() throws Exception {
        cluster = FaultCluster.get();
        logs = ClusterLogs.now(cluster);
    }

    @AfterAll
    static void postgresLog_tellsNoErrors() throws Exception {
        cluster.heal();
        logs.assertPostgresQuiet(CUT_OFF, TAKEN_OVER);
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void run_fourTimesAsLongAsItsLease_isRenewedAndPublishes_ticksMeanwhileAreOverlapped() throws Exception {
        try (TestedSet set = TestedSet.published(cluster, "long-run")) {
            FaultCluster.Armed armed = cluster.arm(Failpoint.FEED_READ, set.name(), "hold");
            FaultCluster.Reached leader = armed.awaitReached();
            RunRow run = set.of(leader);
            Instant end = run.claimed().plus(FaultCluster.LEASE.multipliedBy(4));
            eventually("four leases are over", TestedSet.LIMIT, () -> Instant.now().isAfter(end));
            assertThat(set.attempts(run.tick())).containsExactly(run);
            armed.release();
            set.awaitPublished(1);
            TickReport report = set.assertSound();

            RunRow done = set.attempts(run.tick()).getFirst();
            assertThat(set.attempts(run.tick())).hasSize(1);
            assertThat(done.state()).isEqualTo("published");
            assertThat(done.finished()).isAfter(end);
            List<RunRow> meanwhile = report.rows().stream()
                    .filter(row -> row.tick().isAfter(done.tick()) && row.tick().isBefore(done.finished())).toList();
            assertThat(meanwhile).hasSizeGreaterThanOrEqualTo(7).extracting(RunRow::state).containsOnly("overlapped");
            assertThat(meanwhile).extracting(RunRow::ticks).containsOnly(1);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void run_thatHangs_isTimedOutAndTheNextTickRuns() throws Exception {
        try (TestedSet set = TestedSet.published(cluster, "hanging-run")) {
            set.declare(set.definition(true).put("maxRuntime", "PT3S"));
            FaultCluster.Armed armed = cluster.arm(Failpoint.FEED_READ, set.name(), "hang");
            FaultCluster.Reached leader = armed.awaitReached();
            RunRow run = set.of(leader);
            RunRow ended = set.await("the end of the hanging run", row -> row.state().equals("timed-out"));
            assertThat(ended.id()).isEqualTo(run.id());
            assertThat(ended.length()).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(3).plus(SLACK));
            set.awaitPublished(2);
            armed.release();
            set.awaitPublished(1);
            set.assertSound();
            assertThat(set.attempts(run.tick())).extracting(RunRow::state).containsExactly("timed-out");
        }
    }

    @ParameterizedTest
    @CsvSource({"WORK_STARTED, java.lang.Error, failed", "FEED_READ, java.lang.StackOverflowError, failed",
            "FEED_READ, java.lang.OutOfMemoryError, failed", "PUBLISH_FENCED, java.lang.NoClassDefFoundError, failed",
            "PUBLISH_SENT, java.io.IOException, failed", "PUBLISH_COMMITTED, java.lang.Error, published",
            "RUN_FINISHED, java.lang.Error, published"})
    @Execution(ExecutionMode.CONCURRENT)
    void run_thatThrowsAnything_hasItsEndAndTheNextTickFires(Failpoint point, String thrown, String end)
            throws Exception {
        String name = name("throws", point) + name(thrown);
        try (TestedSet set = TestedSet.published(cluster, name)) {
            FaultCluster.Reached leader = cluster.arm(point, set.name(), "throw " + thrown).awaitReached();
            RunRow run = set.of(leader);
            set.awaitPublished(2);
            set.assertSound();
            List<RunRow> attempts = set.attempts(run.tick());
            assertThat(attempts).extracting(RunRow::state).containsExactly(end);
            if (end.equals("failed")) {
                assertThat(attempts.getFirst().reason()).contains("injected");
            }
        }
    }

    /** What is thrown between a claim and its work costs a lease, and what is thrown before costs a moment. */
    @ParameterizedTest
    @CsvSource({"GATE_WON, 1", "CLAIM_SENT, 1", "CLAIM_COMMITTED, 2", "TAKE_OVER_COMMITTED, 3"})
    @Execution(ExecutionMode.CONCURRENT)
    void claim_thatThrowsAnything_tickIsRunAllTheSame(Failpoint point, int attempts) throws Exception {
        String name = name("throws", point);
        try (TestedSet set = TestedSet.published(cluster, name)) {
            FaultCluster.Armed armed = cluster.arm(point, set.name(), "throw java.lang.Error");
            if (point == Failpoint.TAKE_OVER_COMMITTED) {
                cluster.arm(Failpoint.CLAIM_COMMITTED, set.name(), "throw java.lang.Error").awaitReached();
            }
            armed.awaitReached();
            Instant thrown = Instant.now();
            RunRow done = set.await("the tick is done in the end", row -> row.isPublished() && row.attempt() == attempts
                    && row.finished().isAfter(thrown));
            if (attempts == 1) {
                assertThat(Duration.between(done.tick(), done.claimed())).as("%s", done).isLessThan(FaultCluster.LEASE);
            }
            set.awaitPublished(1);
            set.assertSound();
        }
    }

    private static String name(String what, Failpoint point) {
        return what + "-" + point.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static String name(String className) {
        return className.substring(className.lastIndexOf('.')).replace('.', '-').toLowerCase(Locale.ROOT);
    }
}
