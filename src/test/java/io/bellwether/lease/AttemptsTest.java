package io.bellwether.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
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
        return new Attempts(on, new FakeRedis().gate(), Map.of(), new LiveRuns(on, lease, new Trouble(meters)),
                new Slots(1), meters, new Trouble(meters),
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
        assertThat(entry.rest()).isPositive();
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
        assertThat(entry.rest()).isPositive();
    }

    // It rested by the clock until the tick was due: a clock that was set back meanwhile made that twice as long.
    @Test
    void claim_farTooEarly_theJobRestsForASecond() throws Exception {
        JobEntry entry = new JobEntry(ledger.look().getFirst());
        Attempts attempts = attempts(ledger);
        assertThat(attempts.begin(entry, new Step.Claim(NOW.plus(Duration.ofHours(1)), false))).isTrue();
        assertThat(woken.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(entry.rest()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void record_postgresRefuses_isToldOnceAndCounted() throws Exception {
        JobEntry entry = new JobEntry(ledger.look().getFirst());
        Attempts attempts = attempts(
                HeldUp.refusing("overlapped", new SQLException("disk full", "53100")).wrap(ledger));
        assertThat(attempts.begin(entry, new Step.Overlapped(List.of(NOW)))).isTrue();
        assertThat(woken.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(meters.scrape()).contains("bellwether_job_ledger_failures_total 1.0");
    }
}
