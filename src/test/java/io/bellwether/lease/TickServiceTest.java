package io.bellwether.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.INTEGER;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import io.bellwether.schedule.MisfirePolicy;
import io.bellwether.testing.Eventually;

/** Several timers over one database: whatever happens, each tick has one row, and at most one effect. */
@Execution(ExecutionMode.CONCURRENT)
class TickServiceTest {
    private static final String EVERY_SECOND = "* * * * * *";
    private static final String EVERY_THREE_SECONDS = "*/3 * * * * *";
    private static final String NEVER_SOON = "0 0 0 1 1 *";

    private Cluster cluster;

    @BeforeEach
    void open() throws Exception {
        cluster = new Cluster();
    }

    @AfterEach
    void close() throws Exception {
        cluster.close();
    }

    @Test
    void threeProcesses_aTickEachSecond_oneRunEach() throws Exception {
        cluster.define("demo", EVERY_SECOND);
        for (String name : List.of("a", "b", "c")) {
            cluster.start(name, cluster.publishing());
        }
        cluster.await("six published", "demo", 6, run -> run.state().equals("published"));
        cluster.assertEveryTickOnce("demo", 1);
        assertThat(cluster.runs("demo")).filteredOn(run -> run.state().equals("published"))
                .allMatch(run -> "redis".equals(run.gate()))
                .extracting(RunView::fence).doesNotHaveDuplicates().isSorted();
    }

    @Test
    void leaderFallsSilent_isTakenOver_andFencedWhenItComesBack() throws Exception {
        cluster.lease(Duration.ofSeconds(2)).define("demo", NEVER_SOON);
        GatedWork paused = GatedWork.deaf(cluster::publish);
        Cluster.Member leader = cluster.start("leader", paused);
        cluster.control.enqueue("demo", null, null, null);
        leader.ticks().nudge();
        GatedWork.Begun begun = paused.awaitBegun();
        leader.ticks().fallSilent();
        cluster.start("peer", cluster.publishing());
        RunView second = cluster.await("taken over", "demo",
                run -> run.kind().equals("take-over") && run.state().equals("published"));
        assertThat(second.attempt()).isEqualTo(2);
        assertThat(second.process()).isEqualTo("peer");
        assertThat(second.fence()).isGreaterThan(begun.lease().fence());
        RunView first = cluster.runs("demo").getFirst();
        assertThat(first.state()).isEqualTo("abandoned");
        assertThat(Duration.between(first.claimedAt(), second.claimedAt())).isBetween(Duration.ofSeconds(2),
                Duration.ofSeconds(2 + 5));
        begun.go().countDown();
        RunView late = cluster.await("fenced", "demo", run -> run.state().equals("fenced"));
        assertThat(late.id()).isEqualTo(first.id());
        assertThat(cluster.effects("demo")).containsExactly(Map.entry(first.scheduledAt(), 1));
    }

    @Test
    void runLongerThanTheLease_isKeptAlive() throws Exception {
        cluster.lease(Duration.ofSeconds(2)).define("demo", NEVER_SOON);
        GatedWork work = GatedWork.listening(cluster::publish);
        cluster.start("a", work);
        cluster.start("b", work);
        cluster.control.enqueue("demo", null, null, null);
        GatedWork.Begun begun = work.awaitBegun();
        assertThat(begun.done().await(5, TimeUnit.SECONDS)).as("ends by itself").isFalse();
        begun.go().countDown();
        cluster.await("published", "demo", run -> run.state().equals("published"));
        assertThat(cluster.runs("demo")).hasSize(1);
    }

    @Test
    void runHangs_timesOut_andTheNextTickRuns() throws Exception {
        cluster.define("demo", EVERY_SECOND, Duration.ofSeconds(1));
        AtomicInteger runs = new AtomicInteger();
        GatedWork hanging = GatedWork.deaf(cluster::publish);
        cluster.start("a", lease -> runs.getAndIncrement() == 0 ? hanging.perform(lease) : cluster.publish(lease));
        GatedWork.Begun begun = hanging.awaitBegun();
        cluster.await("timed out", "demo", run -> run.state().equals("timed-out"));
        cluster.await("the next tick ran", "demo", run -> run.state().equals("published"));
        begun.go().countDown();
        assertThat(begun.done().await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(cluster.effects("demo")).doesNotContainKey(begun.lease().scheduledAt());
        cluster.assertEveryTickOnce("demo", 1);
    }

    @Test
    void tickDuringARun_isOverlapped_alsoWithoutPeers() throws Exception {
        cluster.define("demo", EVERY_THREE_SECONDS);
        GatedWork work = GatedWork.listening(cluster::publish);
        cluster.start("a", work);
        GatedWork.Begun begun = work.awaitBegun();
        List<RunView> overlapped = cluster.await("overlapped", "demo", 2, run -> run.state().equals("overlapped"));
        assertThat(overlapped.getFirst().scheduledAt()).isEqualTo(begun.lease().scheduledAt().plusSeconds(3));
        begun.go().countDown();
        work.awaitBegun().go().countDown();
        cluster.await("two published", "demo", 2, run -> run.state().equals("published"));
        cluster.assertEveryTickOnce("demo", 3);
    }

    @Test
    void redisAwayFromTheStart_ticksByTheDatabase_thenByRedis() throws Exception {
        cluster.redis.weather(FakeRedis.Weather.DOWN);
        cluster.define("demo", EVERY_SECOND);
        cluster.start("a", cluster.publishing());
        cluster.start("b", cluster.publishing());
        cluster.await("by the database", "demo", 3, run -> "postgres".equals(run.gate()));
        cluster.redis.weather(FakeRedis.Weather.UP);
        cluster.await("by redis", "demo", 3, run -> "redis".equals(run.gate()));
        cluster.redis.weather(FakeRedis.Weather.MUTE);
        cluster.await("by the database again", "demo", 5, run -> "postgres".equals(run.gate()));
        cluster.assertEveryTickOnce("demo", 1);
    }

    @Test
    void redisLosesItsData_inMidRun_noTickTwice() throws Exception {
        cluster.define("demo", EVERY_THREE_SECONDS);
        GatedWork work = GatedWork.listening(cluster::publish);
        cluster.start("a", work);
        cluster.start("b", work);
        for (int i = 0; i < 2; i++) {
            GatedWork.Begun begun = work.awaitBegun();
            cluster.redis.flush();
            cluster.await("overlapped", "demo", i + 1, run -> run.state().equals("overlapped"));
            begun.go().countDown();
        }
        cluster.await("published", "demo", 2, run -> run.state().equals("published"));
        cluster.assertEveryTickOnce("demo", 3);
    }

    @Test
    void ghostLock_costsTwoSeconds_notTheTick() throws Exception {
        cluster.define("demo", "*/5 * * * * *");
        assertThat(cluster.redis.gate().tryEnter("demo")).isInstanceOf(Gate.Won.class);
        Cluster.Member member = cluster.start("a", cluster.publishing());
        RunView run = cluster.await("published past the ghost", "demo", r -> r.state().equals("published"));
        assertThat(run.gate()).isEqualTo("postgres");
        assertThat(Duration.between(run.scheduledAt(), run.claimedAt())).isBetween(Duration.ofMillis(1_900),
                Duration.ofSeconds(4));
        assertThat(member.meters().scrape()).contains("bellwether_gate_total{gate=\"redis\",result=\"ghost\"} 1.0");
    }

    @Test
    void workThrowsAnything_theNextTickFires() throws Exception {
        cluster.define("demo", EVERY_SECOND);
        AtomicInteger runs = new AtomicInteger();
        cluster.start("a", lease -> switch (runs.getAndIncrement()) {
            case 0 -> throw new StackOverflowError();
            case 1 -> throw new IllegalStateException("a reason\u0000 with NUL");
            case 2 -> throw new AssertionError();
            default -> cluster.publish(lease);
        });
        cluster.await("published", "demo", run -> run.state().equals("published"));
        assertThat(cluster.runs("demo").subList(0, 3)).allMatch(run -> run.state().equals("failed"))
                .extracting(RunView::reason)
                .containsExactly("StackOverflowError", "IllegalStateException: a reason\ufffd with NUL",
                        "AssertionError");
        cluster.assertEveryTickOnce("demo", 1);
    }

    @Test
    void badDefinitionInTheTable_takesOnlyThatJobOut() throws Exception {
        long bad = cluster.define("bad", EVERY_SECOND);
        cluster.define("good", EVERY_SECOND);
        cluster.execute("update job set schedule = 'nonsense' where job_id = " + bad);
        cluster.start("a", cluster.publishing());
        cluster.await("published", "good", 2, run -> run.state().equals("published"));
        assertThat(cluster.runs("bad")).isEmpty();
        assertThat(cluster.queries.job("bad").problem()).contains("nonsense");
    }

    @Test
    void jobThatNobodyCanThinkAbout_takesOnlyThatJobOut() throws Exception {
        // The first job in the list threw, and the pass ended before it came to the others.
        long bad = cluster.define("bad", EVERY_SECOND);
        cluster.define("good", EVERY_SECOND);
        cluster.execute("update job set tick_cursor = 'infinity' where job_id = " + bad);
        cluster.start("b", cluster.publishing()); // Whose list begins with the bad one.
        cluster.await("published", "good", run -> run.state().equals("published"));
        assertThat(cluster.runs("bad")).isEmpty();
    }

    @Test
    void tenThousandTicksMissed_oneLateRun_theRestOneRow() throws Exception {
        long job = cluster.define("demo", EVERY_SECOND);
        cluster.execute("update job set tick_cursor = date_trunc('second', now()) - interval '10000 s'"
                + " where job_id = " + job);
        for (String name : List.of("a", "b", "c")) {
            cluster.start(name, cluster.publishing());
        }
        cluster.await("published", "demo", 3, run -> run.state().equals("published"));
        List<RunView> missed = cluster.runs("demo").stream().filter(run -> run.state().equals("missed")).toList();
        assertThat(missed).singleElement().extracting(RunView::ticks).asInstanceOf(INTEGER).isBetween(9_998, 10_010);
        cluster.assertEveryTickOnce("demo", 1);
    }

    @Test
    void clocksApart_everyTickOnce_noneEarly() throws Exception {
        cluster.define("demo", EVERY_SECOND);
        cluster.start("slow", cluster.publishing(), Duration.ofSeconds(-7));
        cluster.start("fast", cluster.publishing(), Duration.ofSeconds(7));
        cluster.await("published", "demo", 5, run -> run.state().equals("published"));
        cluster.assertEveryTickOnce("demo", 1);
    }

    // A timer that wakes early would fire T - 20 ms, see that T is still to come, and fire T again (robfig/cron#94).
    @Test
    void timerWakesEarly_everyTickOnce_noneBeforeItsTime() throws Exception {
        cluster.define("demo", EVERY_SECOND);
        AtomicInteger early = new AtomicInteger();
        cluster.startEarly("early", cluster.publishing(), Duration.ofMillis(200), early);
        cluster.await("published", "demo", 4, run -> run.state().equals("published"));
        // On a busy machine it may be late all the same, now and then.
        Eventually.eventually("a claim that comes too early", Duration.ofMinutes(1), () -> early.get() > 0);
        cluster.assertEveryTickOnce("demo", 1);
    }

    @Test
    void clockFarOff_claimsNothing_andSaysSo() throws Exception {
        cluster.define("demo", EVERY_SECOND);
        Cluster.Member off = cluster.start("off", cluster.publishing(), Duration.ofHours(8));
        cluster.start("good", cluster.publishing());
        cluster.await("published", "demo", 4, run -> run.state().equals("published"));
        assertThat(cluster.runs("demo")).noneMatch(run -> "off".equals(run.process()));
        assertThat(off.meters().scrape()).containsPattern("clock_offset_seconds -28(799|800)");
        cluster.assertEveryTickOnce("demo", 1);
    }

    @Test
    void pauseAndResume_ticksOfThePauseAreOneRow() throws Exception {
        cluster.define("demo", EVERY_SECOND);
        cluster.start("a", cluster.publishing());
        cluster.start("b", cluster.publishing());
        cluster.await("published", "demo", run -> run.state().equals("published"));
        cluster.control.pause("demo", null, "a test");
        assertThat(cluster.queries.job("demo").pausedUntil()).isEqualTo(Instant.MAX);
        cluster.await("paused", "demo", run -> run.state().equals("paused") && run.ticks() >= 3);
        RunView manual = cluster.control.enqueue("demo", "key-1", null, "now");
        assertThat(cluster.control.enqueue("demo", "key-1", null, "now").id()).isEqualTo(manual.id());
        cluster.await("manual run", "demo", run -> run.id() == manual.id() && run.state().equals("published"));
        cluster.control.resume("demo");
        assertThat(cluster.queries.job("demo").pausedUntil()).isNull();
        Instant resumed = Instant.now();
        cluster.await("published again", "demo",
                run -> run.state().equals("published") && run.scheduledAt().isAfter(resumed));
        cluster.assertEveryTickOnce("demo", 1);
        assertThat(cluster.runs("demo").stream().filter(run -> run.state().equals("paused")).count())
                .isLessThanOrEqualTo(2);
    }

    @Test
    void databaseAway_shorterThanTheGrace_everyTickStillRuns() throws Exception {
        cluster.define("demo", EVERY_SECOND);
        cluster.start("a", cluster.publishing());
        cluster.start("b", cluster.publishing());
        cluster.await("published", "demo", 2, run -> run.state().equals("published"));
        cluster.databaseAway(true);
        Instant gone = Instant.now();
        Eventually.eventually("a while", Duration.ofSeconds(10), () -> Instant.now().isAfter(gone.plusSeconds(4)));
        cluster.databaseAway(false);
        Instant back = Instant.now();
        cluster.await("published again", "demo",
                run -> run.state().equals("published") && run.scheduledAt().isAfter(back.plusSeconds(1)));
        cluster.assertEveryTickOnce("demo", 1);
        assertThat(cluster.runs("demo")).noneMatch(run -> run.state().equals("missed"));
    }

    @Test
    void databaseAwayInMidRun_longerThanTheLease_stopsTheRun_andItIsTakenOver() throws Exception {
        cluster.lease(Duration.ofSeconds(2)).define("demo", NEVER_SOON);
        GatedWork work = GatedWork.listening(cluster::publish);
        Cluster.Member first = cluster.start("first", work);
        cluster.control.enqueue("demo", null, null, null);
        first.ticks().nudge();
        GatedWork.Begun begun = work.awaitBegun();
        cluster.databaseAway(true);
        assertThat(begun.done().await(10, TimeUnit.SECONDS)).as("stopped by itself").isTrue();
        cluster.databaseAway(false);
        work.awaitBegun().go().countDown();
        cluster.await("published by the next attempt", "demo",
                run -> run.state().equals("published") && run.attempt() == 2);
        assertThat(cluster.effects("demo")).hasSize(1);
    }

    @Test
    void manyJobsInTheSameSecond_allRunOnce_spreadOverTheProcesses() throws Exception {
        for (int i = 0; i < 200; i++) {
            cluster.define("job" + i, "*/20 * * * * *");
        }
        for (String name : List.of("a", "b", "c", "d")) {
            cluster.start(name, cluster.publishing());
        }
        Eventually.eventually("all ran", Duration.ofSeconds(45),
                () -> cluster.queries.jobs().stream().allMatch(job -> job.lastSuccess() != null));
        Set<String> leaders = new HashSet<>();
        for (JobView job : cluster.queries.jobs()) {
            RunView run = cluster.runs(job.job()).getFirst();
            leaders.add(String.valueOf(run.process()));
            assertThat(run.state()).isEqualTo("published");
            assertThat(cluster.effects(job.job()).values()).allMatch(effects -> effects == 1);
            // In time, on a machine that does other things as well.
            assertThat(Duration.between(run.scheduledAt(), run.claimedAt())).isLessThan(MisfirePolicy.GRACE);
        }
        assertThat(leaders).containsExactlyInAnyOrder("a", "b", "c", "d");
    }
}
