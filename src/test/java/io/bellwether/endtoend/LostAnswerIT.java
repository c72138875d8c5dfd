package io.bellwether.endtoend;

import static io.bellwether.endtoend.ClusterLogs.Expected.CUT_OFF;
import static io.bellwether.endtoend.ClusterLogs.Expected.SILENT;
import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.bellwether.fault.Failpoint;
import io.bellwether.testing.TestProxy;

/** Connections that end while a COMMIT is under way: it took place or it did not, and the process is not told. */
class LostAnswerIT {
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
    static void logs_tellNoErrors() throws Exception {
        logs.assertQuiet(CUT_OFF, SILENT);
    }

    @Test
    void publish_committedButTheAnswerLost_isFoundPublished() throws Exception {
        try (TestedSet set = TestedSet.published(cluster, "lost-answer-publish")) {
            FaultCluster.Armed armed = cluster.arm(Failpoint.PUBLISH_SENT, set.name(), "hold");
            FaultCluster.Reached leader = armed.awaitReached();
            TestProxy database = cluster.database(cluster.number(leader.process()));
            RunRow run = set.of(leader);
            database.stallAnswers();
            armed.release();
            awaitRow("state = 'published' and run_id = " + run.id());
            database.cut();
            database.pass();
            set.awaitPublished(1);
            set.assertSound();
            assertThat(set.attempts(run.tick())).extracting(RunRow::state).containsExactly("published");
        }
    }

    @Test
    void publish_neverArrivedAndTheConnectionLost_isFoundFailed() throws Exception {
        try (TestedSet set = TestedSet.published(cluster, "lost-commit-publish")) {
            FaultCluster.Armed armed = cluster.arm(Failpoint.PUBLISH_SENT, set.name(), "hold");
            FaultCluster.Reached leader = armed.awaitReached();
            TestProxy database = cluster.database(cluster.number(leader.process()));
            RunRow run = set.of(leader);
            database.stallRequests();
            armed.release();
            database.cut();
            database.pass();
            eventually("the run has its end", TestedSet.LIMIT, () -> !set.of(leader).isOpen());
            set.awaitPublished(1);
            set.assertSound();
            RunRow ended = set.attempts(run.tick()).getFirst();
            assertThat(ended.state()).isEqualTo("failed");
            assertThat(ended.reason()).contains("connection to the database was lost");
        }
    }

    @Test
    void claim_committedButTheAnswerLost_isFoundAndRun() throws Exception {
        try (TestedSet set = TestedSet.published(cluster, "lost-answer-claim")) {
            FaultCluster.Armed armed = cluster.arm(Failpoint.CLAIM_SENT, set.name(), "hold");
            FaultCluster.Reached leader = armed.awaitReached();
            int number = cluster.number(leader.process());
            LogSince log = cluster.logSince(number);
            TestProxy database = cluster.database(number);
            database.stallAnswers();
            armed.release();
            awaitRow("state = 'running' and name = '" + set.name() + "'");
            database.cut();
            database.pass();
            RunRow run = set.of(leader);
            eventually("the run is finished", TestedSet.LIMIT,
                    () -> set.attempts(run.tick()).stream().anyMatch(RunRow::isPublished));
            set.assertSound();
            List<RunRow> attempts = set.attempts(run.tick());
            assertThat(attempts.getFirst().process()).isEqualTo(leader.process());
            assertThat(log.lines(line -> line.contains("job=" + set.name() + " the answer to a claim was lost")))
                    .hasSize(1);
            // On a machine so slow that two thirds of the lease are over, it lets the run go.
            assertThat(attempts.size() == 1 || attempts.getFirst().state().equals("abandoned")).isTrue();
        }
    }

    @Test
    void claim_neverArrivedAndTheConnectionLost_tickIsClaimedAgain() throws Exception {
        try (TestedSet set = TestedSet.published(cluster, "lost-commit-claim")) {
            FaultCluster.Armed armed = cluster.arm(Failpoint.CLAIM_SENT, set.name(), "hold");
            FaultCluster.Reached leader = armed.awaitReached();
            TestProxy database = cluster.database(cluster.number(leader.process()));
            database.stallRequests();
            armed.release();
            database.cut();
            database.pass();
            set.awaitPublished(2);
            TickReport report = set.assertSound();
            // Overlapped: on a machine so busy that a run takes longer than its period.
            assertThat(report.states().keySet()).isSubsetOf("published", "overlapped");
        }
    }

    /** Waits for a run, asking the database itself: the process's own answers are stalled. */
    private static void awaitRow(String condition) throws Exception {
        try (Connection connection = cluster.connect();
                PreparedStatement query = connection.prepareStatement(
                        "select 1 from run join job using (job_id) where " + condition)) {
            eventually(condition, TestedSet.LIMIT, () -> {
                try (ResultSet row = query.executeQuery()) {
                    return row.next();
                }
            });
        }
    }
}
