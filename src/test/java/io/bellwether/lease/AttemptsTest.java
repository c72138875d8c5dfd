package io.bellwether.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.bellwether.schedule.Step;
import io.bellwether.telemetry.Meters;

/** Steps that go wrong in ways that no database is to blame for. */
class AttemptsTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final Meters meters = new Meters();
    private final ModelLedger ledger = new ModelLedger(InstantSource.fixed(NOW), "* * * * * *", NOW.minusSeconds(5));
    private final CountDownLatch woken = new CountDownLatch(1);

    @AfterEach
    void close() {
        meters.close();
    }

    private Attempts attempts(Ledger on) {
        Duration lease = Duration.ofSeconds(30);
        return new Attempts(on, new FakeRedis().gate(), Map.of(), new LiveRuns(on, lease), new Slots(1), meters,
                InstantSource.fixed(NOW), "me", lease, woken::countDown);
    }

    @Test
    void record_ledgerThrowsAnything_theJobRestsAndIsFree() throws Exception {
        // It was tried again every 20 ms, as fast as looks are made.
        JobEntry entry = new JobEntry(ledger.look().getFirst());
        Attempts attempts = attempts(HeldUp.throwing("overlapped", new IllegalStateException("a test")).wrap(ledger));
        assertThat(attempts.begin(entry, new Step.Overlapped(List.of(NOW)))).isTrue();
        assertThat(woken.await(10, TimeUnit.SECONDS)).isTrue();
        entry.seen(ledger.look().getFirst(), System.nanoTime());
        assertThat(entry.isAwaited()).isFalse();
        assertThat(entry.notBefore()).isAfter(NOW);
    }

    @Test
    void decide_noThreadToBeHad_nothingStaysTaken() throws Exception {
        JobEntry entry = new JobEntry(ledger.look().getFirst());
        Attempts attempts = attempts(ledger);
        Thread used = Thread.ofPlatform().start(() -> {});
        used.join();
        CountDownLatch undone = new CountDownLatch(1);
        assertThat(attempts.decide(entry, used, undone::countDown)).as("a thread that cannot start").isFalse();
        assertThat(undone.getCount()).isZero();
        entry.seen(ledger.look().getFirst(), System.nanoTime());
        assertThat(entry.isAwaited()).isFalse();
        assertThat(entry.notBefore()).isAfter(NOW);
    }
}
