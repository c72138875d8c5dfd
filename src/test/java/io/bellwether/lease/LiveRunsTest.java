package io.bellwether.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.bellwether.telemetry.Meters;
import io.bellwether.testing.Eventually;

class LiveRunsTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private static LiveRun overdue(long id) {
        return new LiveRun(new Claim(id, id, "demo" + id, "refresh", "cron", NOW, 1, 1, UUID.randomUUID(), "redis",
                Duration.ZERO, null, NOW), "me", System.nanoTime(), () -> {});
    }

    @Test
    void pause_isAQuarterOfTheLease_butNeverSoLongThatProgressStandsStill() {
        assertThat(LiveRuns.pause(Duration.ofSeconds(4))).isEqualTo(Duration.ofSeconds(1));
        assertThat(LiveRuns.pause(Duration.ofSeconds(30))).isEqualTo(Duration.ofSeconds(2));
        assertThat(LiveRuns.pause(Duration.ofHours(1))).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void guard_ledgerDoesNotAnswer_stopsTheOtherRunsAllTheSame() throws Exception {
        // The guard waited for the ledger to take the first overdue run, and stopped nobody meanwhile.
        HeldUp finish = new HeldUp("finish");
        ModelLedger ledger = new ModelLedger(InstantSource.fixed(NOW), "* * * * * *", NOW);
        LiveRuns runs = new LiveRuns(finish.wrap(ledger), Duration.ofMinutes(10), new Trouble(new Meters()));
        runs.start();
        try {
            LiveRun first = overdue(1);
            runs.add(first);
            assertThat(finish.entered.await(10, TimeUnit.SECONDS)).isTrue();
            LiveRun second = overdue(2);
            runs.add(second);
            // As overdue, or as lost if the heartbeat came first: the ledger knows neither of them.
            Eventually.eventually("the second is stopped", Duration.ofSeconds(10),
                    () -> second.stop() != LiveRun.Stop.NONE);
            assertThat(first.isOverdueRecorded()).isFalse();
        } finally {
            finish.go.countDown();
            runs.stop();
        }
    }

    // It was renewed for ever, and nobody could take it over before the process was restarted.
    @Test
    void beat_runIsLostAndItsThreadHangs_isNotRenewed_andIsEndedWhenItsTimeIsOver() throws Exception {
        ModelLedger ledger = new ModelLedger(InstantSource.system(), "* * * * * *", Instant.now().minusSeconds(2));
        JobRow job = ledger.look().getFirst();
        Ticket ticket = new Ticket("me", UUID.randomUUID(), "redis", Duration.ofMillis(600));
        ClaimOutcome.Won won = (ClaimOutcome.Won) ledger.claim(job, Instant.now(), ticket);
        Claim claim = new Claim(won.claim().runId(), 1, "demo", "refresh", "cron", won.claim().scheduledAt(), 1,
                won.claim().fence(), won.claim().nonce(), "redis", Duration.ofSeconds(3), null, NOW);
        CountDownLatch letGo = new CountDownLatch(1);
        ledger.up(false);
        LiveRuns runs = new LiveRuns(ledger, ticket.lease(), new Trouble(new Meters()));
        LiveRun run = new LiveRun(claim, "me", System.nanoTime(), letGo::countDown);
        runs.add(run);
        runs.start();
        try {
            Eventually.eventually("it is lost", Duration.ofSeconds(10), () -> run.stop() == LiveRun.Stop.LOST);
            Instant lease = ledger.rows.get(claim.runId()).leaseUntil;
            ledger.up(true);
            assertThat(letGo.await(10, TimeUnit.SECONDS)).isTrue();
            Eventually.eventually("its row has its end", Duration.ofSeconds(10),
                    () -> ledger.rows.get(claim.runId()).state.equals("timed-out"));
            assertThat(ledger.rows.get(claim.runId()).leaseUntil).isEqualTo(lease);
        } finally {
            runs.stop();
        }
    }
}
