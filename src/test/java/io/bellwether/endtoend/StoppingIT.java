package io.bellwether.endtoend;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.bellwether.cluster.Part;
import io.bellwether.fault.Failpoint;

/** Processes told to stop by SIGTERM: in mid-run, across ticks, and while they start. */
class StoppingIT {
    private static final Duration SLACK = Duration.ofSeconds(2);
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @SuppressWarnings("NullAway.Init")
    private static FaultCluster cluster;
    @SuppressWarnings("NullAway.Init")
    private static ClusterLogs logs;

    @BeforeAll
    static void cluster() throws Exception {
        cluster = FaultCluster.get();
        logs = ClusterLogs.now(cluster);
    }

    @AfterEach
    void heal() throws Exception {
        cluster.heal();
    }

    @AfterAll
    static void logs_tellNoErrorsAndHoldNoStackTrace() throws Exception {
        // A run that is told to stop in the middle of a statement leaves its back end to whoever goes on.
        logs.assertQuiet(ClusterLogs.Expected.LEFT, ClusterLogs.Expected.TAKEN_OVER);
    }

    @Test
    void leader_toldToStopInMidRun_givesItBackAfterItsGraceAndAPeerGoesOnAtOnce() throws Exception {
        try (TestedSet set = TestedSet.published(cluster, "stop-in-mid-run")) {
            FaultCluster.Reached leader = cluster.arm(Failpoint.FEED_READ, set.name(), "hold").awaitReached();
            RunRow run = set.of(leader);
            Instant toldAt = Instant.now();
            leader.signal("TERM");
            eventually("a peer finished the tick", LIMIT,
                    () -> set.attempts(run.tick()).stream().anyMatch(RunRow::isPublished));
            List<RunRow> attempts = set.attempts(run.tick());
            assertThat(attempts).extracting(RunRow::state).containsExactly("abandoned", "published");
            assertThat(attempts.getFirst().reason()).contains("was told to stop and gave the run back");
            assertThat(Duration.between(toldAt, attempts.get(1).claimed())).isLessThan(FaultCluster.GRACE.plus(SLACK));
            assertEnded(leader);
            set.assertSound();
        }
    }

    @Test
    void leader_toldToStopInMidRun_finishesWhatItCanWithinItsGrace() throws Exception {
        try (TestedSet set = TestedSet.published(cluster, "stop-drains")) {
            FaultCluster.Armed stop = cluster.arm(Failpoint.STOP_BEGUN, Failpoint.PROCESS, "note");
            FaultCluster.Armed armed = cluster.arm(Failpoint.FEED_READ, set.name(), "hold");
            FaultCluster.Reached leader = armed.awaitReached();
            RunRow run = set.of(leader);
            leader.signal("TERM");
            assertThat(stop.awaitReached()).isEqualTo(leader);
            armed.release();
            assertEnded(leader);
            assertThat(set.attempts(run.tick())).extracting(RunRow::state).containsExactly("published");
            assertThat(set.attempts(run.tick()).getFirst().process()).isEqualTo(leader.process());
            set.assertSound();
        }
    }

    @Test
    void processes_stoppedOneByOneAcrossTicks_noTickIsLostOrLate() throws Exception {
        try (TestedSet set = TestedSet.published(cluster, "stop-rolling")) {
            for (int number = 1; number <= FaultCluster.PROCESSES; number++) {
                Part process = cluster.process(number);
                long before = process.pid();
                long phase = 100L * number;
                // At the tick, and a little before and after it.
                eventually("the moment", LIMIT,
                        () -> (System.currentTimeMillis() + 300) % TestedSet.PERIOD.toMillis() / 100 == phase / 100);
                process.signal("TERM");
                eventually("process is replaced", LIMIT, () -> process.pid() != before);
                cluster.cluster().awaitReady();
            }
            TickReport report = set.assertSound();
            // A run that was given back within its tick is another attempt; nothing waits for a lease to end.
            assertThat(report.states()).doesNotContainKeys("failed", "fenced", "missed");
            assertThat(report.takeOvers()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 100, 300, 700})
    void process_toldToStopWhileItStarts_endsInOrder(long millis) throws Exception {
        Part process = cluster.process(1);
        FaultCluster.Armed armed = cluster.arm(Failpoint.START_BEGUN, Failpoint.PROCESS, "note");
        process.kill();
        FaultCluster.Reached starting = armed.awaitReached();
        Instant moment = Instant.now().plusMillis(millis);
        eventually("the moment", LIMIT, () -> !Instant.now().isBefore(moment));
        starting.signal("TERM");
        assertReplaced(process, starting.pid());
    }

    @Test
    void process_toldToStopWhileItsStartWaitsForTheDatabase_endsInOrder() throws Exception {
        Part process = cluster.process(1);
        long before = process.pid();
        cluster.database(1).stall();
        process.kill();
        eventually("it is started again", LIMIT, () -> process.pid() != before);
        long starting = process.pid();
        long connections = cluster.database(1).accepted();
        eventually("it waits for the database", LIMIT, () -> cluster.database(1).accepted() > connections);
        process.signal("TERM");
        eventually("it has ended", LIMIT, () -> !ProcessHandle.of(starting).map(ProcessHandle::isAlive).orElse(false));
        cluster.database(1).pass();
        assertReplaced(process, starting);
    }

    private static void assertEnded(FaultCluster.Reached leader) throws Exception {
        eventually(leader + " has ended", LIMIT,
                () -> !ProcessHandle.of(leader.pid()).map(ProcessHandle::isAlive).orElse(false));
    }

    /** It ended as one that was asked to, and left nothing; the one in its place is ready. */
    private static void assertReplaced(Part process, long ended) throws Exception {
        eventually("it is replaced", LIMIT, () -> process.pid() != ended);
        String told = cluster.told().stream().filter(line -> line.startsWith("process-1 ended")).toList().getLast();
        assertThat(told).isEqualTo("process-1 ended (exit status 0)");
        try (Connection connection = cluster.connect();
                PreparedStatement query = connection.prepareStatement("""
                        select (select count(*) from pg_stat_activity where application_name like ?)
                            + (select count(*) from process where name like ?)""")) {
            query.setString(1, "%-" + ended + "-%");
            query.setString(2, "%-" + ended + "-%");
            eventually("nothing of it is left in the database", LIMIT, () -> {
                try (ResultSet row = query.executeQuery()) {
                    return row.next() && row.getInt(1) == 0;
                }
            });
        }
    }
}
