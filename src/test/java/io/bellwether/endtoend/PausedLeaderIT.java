package io.bellwether.endtoend;

import static io.bellwether.endtoend.ClusterLogs.Expected.CUT_OFF;
import static io.bellwether.endtoend.ClusterLogs.Expected.SILENT;
import static io.bellwether.endtoend.ClusterLogs.Expected.TAKEN_OVER;
import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.bellwether.fault.Failpoint;

/** Processes stopped by SIGSTOP in the middle of a tick, for longer than their lease, that then go on. */
class PausedLeaderIT {
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
    static void logs_tellNoErrors() throws Exception {
        cluster.heal();
        logs.assertQuiet(CUT_OFF, TAKEN_OVER, SILENT);
    }

    @ParameterizedTest
    @EnumSource(names = {"FEED_READ", "PUBLISH_FENCED", "PUBLISH_SENT"})
    @Execution(ExecutionMode.CONCURRENT)
    void leader_stoppedForLongerThanItsLease_anotherPublishesAndTheLateRunIsFenced(Failpoint point) throws Exception {
        String name = "paused-" + point.name().toLowerCase(Locale.ROOT).replace('_', '-');
        try (TestedSet set = TestedSet.published(cluster, name); Watcher watcher = new Watcher(cluster.api(), name)) {
            FaultCluster.Armed armed = cluster.arm(point, set.name(), "stop");
            FaultCluster.Reached paused = armed.awaitReached();
            Instant goesOnAt = Instant.now().plus(FaultCluster.TAKE_OVER);
            RunRow late = set.of(paused);
            try {
                eventually("the tick is finished by another", TestedSet.LIMIT,
                        () -> set.attempts(late.tick()).stream().anyMatch(RunRow::isPublished));
                eventually("the pause is over", TestedSet.LIMIT, () -> Instant.now().isAfter(goesOnAt));
            } finally {
                armed.goOn(paused);
            }
            // Not the first attempt, perhaps: its process may have been stopped by another of these tests, and one that
            // was stopped while it claimed never ran, so that nothing of it is late.
            set.awaitState(late, "fenced");
            List<RunRow> attempts = set.attempts(late.tick());
            // Who took it over may have been stopped by another of these tests, and taken over in its turn.
            assertThat(attempts).filteredOn(RunRow::isPublished).containsExactly(attempts.getLast());
            assertThat(Duration.between(attempts.get(0).claimed(), attempts.get(1).claimed()))
                    .isLessThan(FaultCluster.TAKE_OVER.plus(SLACK));
            set.awaitPublished(1);
            set.assertSound();
            assertThat(watcher.complaints()).isEmpty();
        }
    }
}
