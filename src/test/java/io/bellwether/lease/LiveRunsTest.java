package io.bellwether.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.bellwether.testing.Eventually;

class LiveRunsTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private static LiveRun overdue(long id) {
        return new LiveRun(new Claim(id, id, "demo" + id, "refresh", "cron", NOW, 1, 1, UUID.randomUUID(), "redis",
                Duration.ZERO, null, NOW), "me", System.nanoTime(), () -> {});
    }

    @Test
    void guard_ledgerDoesNotAnswer_stopsTheOtherRunsAllTheSame() throws Exception {
        // The guard waited for the ledger to take the first overdue run, and stopped nobody meanwhile.
        HeldUp finish = new HeldUp("finish");
        ModelLedger ledger = new ModelLedger(InstantSource.fixed(NOW), "* * * * * *", NOW);
        LiveRuns runs = new LiveRuns(finish.wrap(ledger), Duration.ofMinutes(10));
        runs.start();
        try {
            LiveRun first = overdue(1);
            runs.add(first);
            assertThat(finish.entered.await(10, TimeUnit.SECONDS)).isTrue();
            LiveRun second = overdue(2);
            runs.add(second);
            Eventually.eventually("the second is stopped", Duration.ofSeconds(10),
                    () -> second.stop() == LiveRun.Stop.TIMED_OUT);
            assertThat(first.isOverdueRecorded()).isFalse();
        } finally {
            finish.go.countDown();
            runs.stop();
        }
    }
}
