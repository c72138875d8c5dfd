package io.bellwether.endtoend;

import static io.bellwether.endtoend.ClusterLogs.Expected.CUT_OFF;
import static io.bellwether.endtoend.ClusterLogs.Expected.TAKEN_OVER;
import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.bellwether.fault.Failpoint;

/**
 * Processes killed by SIGKILL in the middle of a tick. Several tests run at a time, so that a process that one of them
 * kills may hold the run of another: what is asserted allows for it.
 */
class DeadLeaderIT {
    /** Tests that kill may do so side by side, but for one whose last attempt must not meet another's kill. */
    private static final String KILLING = "killing";

    /** How much later than promised something may be seen, on a machine that starts servers meanwhile. */
    private static final Duration SLACK = Duration.ofSeconds(3);
    private static final Duration LOOK = Duration.ofSeconds(2);

    /** Two of four live whatever happens, so that there is somebody to take over. */
    private static final int MOST_DEAD = 2;
    private static final Semaphore KILLS = new Semaphore(MOST_DEAD);

    /** What every process has to serve in the end, by set. */
    private static final Map<String, Long> REVISIONS = new ConcurrentHashMap<>();

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
    static void processes_startedAgain_serveAllThatWasPublished_andTheLogsTellNoErrors() throws Exception {
        cluster.heal();
        for (Map.Entry<String, Long> set : REVISIONS.entrySet()) {
            cluster.assertServedByAll(set.getKey(), set.getValue());
        }
        logs.assertQuiet(CUT_OFF, TAKEN_OVER);
    }

    @ParameterizedTest
    @EnumSource(names = {"GATE_WON", "CLAIM_SENT"})
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock(value = KILLING, mode = ResourceAccessMode.READ)
    void leader_killedBeforeItsClaimIsThere_anotherClaimsAfterItsLook(Failpoint point) throws Exception {
        try (TestedSet set = TestedSet.published(cluster, name("before", point))) {
            FaultCluster.Reached dead = kill(point, set.name());
            Instant diedAt = Instant.now();
            RunRow next = set.await("a run after the death",
                    row -> row.isPublished() && row.claimed().isAfter(diedAt));
            assertThat(next.process()).isNotEqualTo(dead.process());
            set.awaitPublished(1);
            TickReport report = sound(set);
            RunRow first = report.rows().stream()
                    .filter(row -> row.claimedAt() != null && row.claimedAt().isAfter(diedAt)).findFirst()
                    .orElseThrow();
            assertThat(Duration.between(diedAt, first.claimed())).isLessThan(LOOK.plus(SLACK));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CLAIM_COMMITTED", "WORK_STARTED", "FEED_READ", "PUBLISH_FENCED", "PUBLISH_SENT"})
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock(value = KILLING, mode = ResourceAccessMode.READ)
    void leader_killedBeforeItPublished_anotherFinishesTheTick(Failpoint point) throws Exception {
        try (TestedSet set = TestedSet.published(cluster, name("during", point))) {
            FaultCluster.Reached dead = kill(point, set.name());
            RunRow lost = set.of(dead);
            eventually("the tick is finished", TestedSet.LIMIT,
                    () -> set.attempts(lost.tick()).stream().anyMatch(RunRow::isPublished));
            sound(set);
            List<RunRow> attempts = set.attempts(lost.tick());
            RunRow closed = attempts.stream().filter(row -> row.id() == lost.id()).findFirst().orElseThrow();
            assertThat(closed.state()).isEqualTo("abandoned");
            assertThat(Duration.between(closed.claimed(), closed.finished()))
                    .isLessThan(FaultCluster.TAKE_OVER.plus(SLACK));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"PUBLISH_COMMITTED", "RUN_FINISHED"})
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock(value = KILLING, mode = ResourceAccessMode.READ)
    void leader_killedAfterItPublished_tickIsCompleteAndNotRunAgain(Failpoint point) throws Exception {
        try (TestedSet set = TestedSet.published(cluster, name("after", point))) {
            FaultCluster.Reached dead = kill(point, set.name());
            RunRow done = set.of(dead);
            assertThat(done.state()).isEqualTo("published");
            set.awaitPublished(1);
            sound(set);
            assertThat(set.attempts(done.tick()).getLast()).isEqualTo(done);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock(KILLING)
    void taker_killedRightAfterItsClaim_aThirdFinishesTheTick() throws Exception {
        try (TestedSet set = TestedSet.published(cluster, "dead-taker")) {
            KILLS.acquire(MOST_DEAD);
            RunRow lost;
            List<Long> dying = new ArrayList<>();
            try {
                FaultCluster.Armed second = cluster.arm(Failpoint.TAKE_OVER_COMMITTED, set.name(), "kill");
                FaultCluster.Reached dead = cluster.arm(Failpoint.FEED_READ, set.name(), "kill").awaitReached();
                dying.add(dead.pid());
                FaultCluster.Reached taker = second.awaitReached();
                dying.add(taker.pid());
                assertThat(taker.process()).isNotEqualTo(dead.process());
                lost = set.of(taker);
                eventually("the tick is finished", TestedSet.LIMIT,
                        () -> set.attempts(lost.tick()).stream().anyMatch(RunRow::isPublished));
            } finally {
                releaseWhenReady(MOST_DEAD, dying);
            }
            sound(set);
            assertThat(set.attempts(lost.tick())).extracting(RunRow::state).containsExactly("abandoned", "abandoned",
                    "published");
        }
    }

    /** Kills whoever reaches the point, while most of the processes live. */
    private static FaultCluster.Reached kill(Failpoint point, String set) throws Exception {
        KILLS.acquire();
        List<Long> dying = new ArrayList<>();
        try {
            FaultCluster.Reached reached = cluster.arm(point, set, "kill").awaitReached();
            dying.add(reached.pid());
            return reached;
        } finally {
            releaseWhenReady(1, dying);
        }
    }

    /** Once those are dead, which comes a moment after they reached the point, and all are there again. */
    private static void releaseWhenReady(int kills, List<Long> dying) {
        Thread.ofVirtual().start(() -> {
            try {
                eventually(dying + " are dead", TestedSet.LIMIT, () -> IntStream.rangeClosed(1, FaultCluster.PROCESSES)
                        .mapToObj(cluster::process).noneMatch(p -> p.isAlive() && dying.contains(p.pid())));
                cluster.cluster().awaitReady();
            } catch (Exception e) {
                throw new AssertionError("the killed process does not come back", e);
            } finally {
                KILLS.release(kills);
            }
        });
    }

    private static TickReport sound(TestedSet set) throws Exception {
        TickReport report = set.assertSoundRows();
        REVISIONS.put(set.name(), set.revision());
        return report;
    }

    private static String name(String when, Failpoint point) {
        return "dead-" + when + "-" + point.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
