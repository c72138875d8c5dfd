package io.bellwether.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import io.bellwether.testing.Eventually;

/** A timer that is told to stop, at any moment: its run is finished or handed over, and no tick is lost. */
@Execution(ExecutionMode.CONCURRENT)
class TickServiceStopTest {
    private static final String EVERY_SECOND = "* * * * * *";
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
    void stopInMidRun_givesTheRunBack_andAPeerTakesItAtOnce() throws Exception {
        cluster.define("demo", NEVER_SOON); // with a lease of 30 s
        GatedWork work = GatedWork.listening(cluster::publish);
        Cluster.Member first = cluster.start("first", work);
        cluster.control.enqueue("demo", null, "{\"rollback\": 5}", null);
        first.ticks().nudge();
        GatedWork.Begun begun = work.awaitBegun();
        Cluster.Member peer = cluster.start("peer", lease -> {
            assertThat(lease.request()).contains("rollback");
            return cluster.publish(lease);
        });
        cluster.stop(first, Duration.ofMillis(50));
        peer.ticks().nudge();
        assertThat(begun.done().await(0, TimeUnit.SECONDS)).as("was interrupted").isTrue();
        RunView second = cluster.await("taken over", "demo", run -> run.state().equals("published"));
        assertThat(second.kind()).isEqualTo("take-over");
        RunView handedOver = cluster.runs("demo").getFirst();
        assertThat(handedOver.state()).isEqualTo("abandoned");
        assertThat(handedOver.reason()).contains("told to stop");
        assertThat(Duration.between(handedOver.finishedAt(), second.claimedAt())).isLessThan(Duration.ofSeconds(2));
    }

    @Test
    void stop_whileAClaimIsUnderWay_theRunIsGivenBackAtOnce() throws Exception {
        // A run won between the stop and its entry in the list of runs was neither drained nor given back.
        cluster.define("demo", NEVER_SOON); // with a lease of 30 s
        HeldUp claim = new HeldUp("claimQueued");
        AtomicInteger begun = new AtomicInteger();
        Cluster.Member first = cluster.start("first", lease -> {
            begun.incrementAndGet();
            return cluster.publish(lease);
        }, Duration.ZERO, claim::wrap);
        cluster.control.enqueue("demo", null, null, null);
        first.ticks().nudge();
        assertThat(claim.entered.await(20, TimeUnit.SECONDS)).isTrue();
        Thread stopping = Thread.ofVirtual().start(() -> cluster.stop(first, Duration.ofSeconds(20)));
        Eventually.eventually("stopping", Cluster.SOON, () -> first.ticks().isStopping());
        claim.go.countDown();
        assertThat(stopping.join(Duration.ofSeconds(15))).isTrue();
        assertThat(begun).hasValue(0);
        cluster.start("peer", cluster.publishing());
        RunView second = cluster.await("taken over", "demo", run -> run.state().equals("published"));
        RunView handedOver = cluster.runs("demo").getFirst();
        assertThat(handedOver.reason()).contains("told to stop");
        assertThat(Duration.between(handedOver.claimedAt(), second.claimedAt())).isLessThan(Duration.ofSeconds(15));
        // The row tells the end of a run before its gate is left.
        Eventually.eventually("the gate is free", Cluster.SOON, () -> !cluster.redis.isHeld("demo"));
    }

    @Test
    void stop_runEndsWithinItsGrace_isFinished() throws Exception {
        cluster.define("demo", NEVER_SOON);
        GatedWork work = GatedWork.listening(cluster::publish);
        Cluster.Member first = cluster.start("first", work);
        cluster.control.enqueue("demo", null, null, null);
        first.ticks().nudge();
        GatedWork.Begun begun = work.awaitBegun();
        Thread stopping = Thread.ofVirtual().start(() -> cluster.stop(first, Duration.ofSeconds(20)));
        begun.go().countDown();
        assertThat(stopping.join(Duration.ofSeconds(15))).isTrue();
        assertThat(cluster.runs("demo")).singleElement().extracting(RunView::state).isEqualTo("published");
        assertThat(cluster.redis.isHeld("demo")).isFalse();
    }

    @Test
    void rollingRestarts_acrossTicks_loseNoTick() throws Exception {
        cluster.define("demo", EVERY_SECOND);
        Cluster.Member[] running = {cluster.start("p0", cluster.publishing()),
                cluster.start("p1", cluster.publishing())};
        for (int i = 2; i < 8; i++) {
            cluster.await("published", "demo", i, run -> run.state().equals("published"));
            cluster.stop(running[i % 2], Duration.ofSeconds(1));
            running[i % 2] = cluster.start("p" + i, cluster.publishing());
        }
        cluster.assertEveryTickOnce("demo", 1);
        assertThat(cluster.runs("demo")).allMatch(run -> switch (run.state()) {
            case "published", "overlapped", "running" -> true;
            case "abandoned" -> String.valueOf(run.reason()).contains("gave the run back");
            default -> false;
        });
    }
}
