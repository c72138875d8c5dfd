package io.bellwether.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.junit.jupiter.api.Test;

import io.bellwether.schedule.JobSight;
import io.bellwether.schedule.Step;

/**
 * What every ledger promises, the one in PostgreSQL and the one of the model alike. The job's schedule plays no part; its
 * cursor is {@link #T0} at the start, long past.
 */
abstract class LedgerContract {
    static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");
    static final Duration LEASE = Duration.ofSeconds(30);

    abstract Ledger ledger();

    /** Makes the lease of a running run end long ago. */
    abstract void endLease(long runId) throws Exception;

    abstract void pauseUntil(Instant until) throws Exception;

    abstract void disable() throws Exception;

    /** Queues a manual run and returns its id. */
    abstract long enqueue() throws Exception;

    /** Whether a publish by this run would pass the fence; it is not recorded. */
    abstract boolean passesFence(Claim run) throws Exception;

    /** State of each row of the tick, by attempt. */
    abstract List<String> states(Instant tick) throws Exception;

    static Instant t(int seconds) {
        return T0.plusSeconds(seconds);
    }

    static Ticket ticket() {
        return new Ticket("me", UUID.randomUUID(), "redis", LEASE);
    }

    JobRow job() throws Exception {
        return ledger().look().getFirst();
    }

    Claim win(Instant tick) throws Exception {
        ClaimOutcome outcome = ledger().claim(job(), tick, ticket());
        assertThat(outcome).isInstanceOf(ClaimOutcome.Won.class);
        return ((ClaimOutcome.Won) outcome).claim();
    }

    Claim takeOver(long runId) throws Exception {
        ClaimOutcome outcome = ledger().takeOver(job(), runId, false, ticket());
        assertThat(outcome).isInstanceOf(ClaimOutcome.Won.class);
        return ((ClaimOutcome.Won) outcome).claim();
    }

    void end(Claim run, String state) throws Exception {
        assertThat(ledger().finish(run, Ledger.End.of(state, "a test"), false)).isEqualTo(state);
    }

    @Test
    void claim_due_winsOnce_andRaisesTheFence() throws Exception {
        JobRow before = job();
        Claim run = win(t(1));
        assertThat(run.attempt()).isEqualTo(1);
        assertThat(run.fence()).isEqualTo(1);
        assertThat(passesFence(run)).isTrue();
        assertThat(job().cursor()).isEqualTo(t(1));
        assertThat(ledger().claim(before, t(1), ticket())).isEqualTo(new ClaimOutcome.Lost("me"));
        assertThat(states(t(1))).containsExactly("running");
    }

    @Test
    void claim_whileARunIsUnderWay_isRefused() throws Exception {
        win(t(1));
        assertThat(ledger().claim(job(), t(2), ticket())).isInstanceOf(ClaimOutcome.Refused.class);
        assertThat(states(t(2))).isEmpty();
    }

    @Test
    void claim_notDue_saysByHowMuch() throws Exception {
        Instant future = Instant.now().plusSeconds(3_600);
        assertThat(ledger().claim(job(), future, ticket()))
                .isInstanceOfSatisfying(ClaimOutcome.NotDue.class,
                        notDue -> assertThat(notDue.by()).isPositive().isLessThan(Duration.ofSeconds(3_601)));
    }

    @Test
    void claim_paused_isRefused() throws Exception {
        pauseUntil(t(1));
        assertThat(ledger().claim(job(), t(1), ticket())).isInstanceOf(ClaimOutcome.Refused.class);
        assertThat(ledger().claim(job(), t(2), ticket())).as("due after the pause")
                .isInstanceOf(ClaimOutcome.Won.class);
    }

    @Test
    void claim_disabled_isRefused() throws Exception {
        disable();
        assertThat(ledger().claim(job(), t(1), ticket())).isInstanceOf(ClaimOutcome.Refused.class);
    }

    @Test
    void claim_withAnOldLook_isRefused() throws Exception {
        JobRow old = job();
        end(win(t(1)), "unchanged");
        assertThat(ledger().claim(old, t(2), ticket())).isInstanceOf(ClaimOutcome.Refused.class);
    }

    @Test
    void claim_tickThatFellIntoARun_isRecordedAsOverlapped() throws Exception {
        // Runs are claimed at the real time, so the tick that fell into this one is one of now.
        Claim run = win(t(1));
        Instant during = run.claimedAt().plusNanos(1_000);
        end(run, "unchanged");
        assertThat(ledger().claim(job(), during, ticket())).isInstanceOf(ClaimOutcome.Overlapped.class);
        assertThat(states(during)).containsExactly("overlapped");
        assertThat(job().cursor()).isEqualTo(during);
    }

    @Test
    void finish_taken_keepsTheRow() throws Exception {
        Claim run = win(t(1));
        endLease(run.runId());
        takeOver(run.runId());
        assertThat(ledger().finish(run, Ledger.End.of("failed", "late"), false)).isEqualTo("abandoned");
        assertThat(ledger().fenced(run, "came back")).isEqualTo("fenced");
        assertThat(states(t(1))).containsExactly("fenced", "running");
    }

    @Test
    void takeOver_leaseOver_closesAndWinsTheNextAttempt() throws Exception {
        Claim run = win(t(1));
        endLease(run.runId());
        Claim second = takeOver(run.runId());
        assertThat(second.attempt()).isEqualTo(2);
        assertThat(second.fence()).isGreaterThan(run.fence());
        assertThat(second.scheduledAt()).isEqualTo(t(1));
        assertThat(passesFence(run)).isFalse();
        assertThat(passesFence(second)).isTrue();
        assertThat(states(t(1))).containsExactly("abandoned", "running");
    }

    @Test
    void takeOver_leaseNotOver_isLost() throws Exception {
        Claim run = win(t(1));
        assertThat(ledger().takeOver(job(), run.runId(), false, ticket())).isEqualTo(new ClaimOutcome.Lost(null));
        assertThat(passesFence(run)).isTrue();
    }

    @Test
    void takeOver_superseded_closesWithoutAnother() throws Exception {
        Claim run = win(t(1));
        endLease(run.runId());
        assertThat(ledger().takeOver(job(), run.runId(), true, ticket()))
                .isInstanceOf(ClaimOutcome.Closed.class);
        assertThat(states(t(1))).containsExactly("superseded");
        assertThat(passesFence(run)).isFalse();
    }

    @Test
    void takeOver_manualRun_isNotSuperseded_norAreItsFurtherAttempts() throws Exception {
        long id = enqueue();
        ClaimOutcome outcome = ledger().claimQueued(job(), id, ticket());
        Claim run = ((ClaimOutcome.Won) outcome).claim();
        for (int attempt = 2; attempt <= 3; attempt++) {
            endLease(run.runId());
            JobRow.Running seen = job().running();
            assertThat(seen).isNotNull();
            assertThat(seen.manual()).isTrue();
            outcome = ledger().takeOver(job(), run.runId(), true, ticket());
            assertThat(outcome).isInstanceOf(ClaimOutcome.Won.class);
            run = ((ClaimOutcome.Won) outcome).claim();
            assertThat(run.attempt()).isEqualTo(attempt);
        }
        assertThat(states(run.scheduledAt())).containsExactly("abandoned", "abandoned", "running");
    }

    @Test
    void takeOver_thirdAttemptDead_isGivenUp() throws Exception {
        Claim run = win(t(1));
        for (int attempt = 2; attempt <= 3; attempt++) {
            endLease(run.runId());
            run = takeOver(run.runId());
        }
        endLease(run.runId());
        assertThat(ledger().takeOver(job(), run.runId(), false, ticket())).isInstanceOf(ClaimOutcome.Closed.class);
        assertThat(states(t(1))).containsExactly("abandoned", "abandoned", "abandoned");
        win(t(2));
    }

    @Test
    void giveBack_handedOver_isTakenAtOnce_andDoesNotCount() throws Exception {
        Claim run = win(t(1));
        for (int attempt = 2; attempt <= 5; attempt++) {
            ledger().giveBack(run, true);
            run = takeOver(run.runId());
        }
        assertThat(run.attempt()).isEqualTo(5);
    }

    @Test
    void retry_afterAFailure_winsOnce() throws Exception {
        end(win(t(1)), "failed");
        JobRow seen = job();
        ClaimOutcome outcome = ledger().retry(seen, t(1), 2, ticket());
        assertThat(outcome).isInstanceOf(ClaimOutcome.Won.class);
        end(((ClaimOutcome.Won) outcome).claim(), "failed");
        assertThat(ledger().retry(seen, t(1), 2, ticket())).isEqualTo(new ClaimOutcome.Lost(null));
        assertThat(states(t(1))).containsExactly("failed", "failed");
    }

    @Test
    void look_runByHandSinceATickFailed_stillShowsTheFailedTick() throws Exception {
        Claim run = win(t(1));
        end(run, "failed");
        long id = enqueue();
        ClaimOutcome byHand = ledger().claimQueued(job(), id, ticket());
        end(((ClaimOutcome.Won) byHand).claim(), "failed");
        JobRow.Newest newest = job().newest();
        assertThat(newest).isNotNull();
        assertThat(newest.scheduledAt()).isEqualTo(t(1));
        assertThat(newest.state()).isEqualTo("failed");
    }

    @Test
    void look_ticksOverlappedByARunThatFailed_showsItsTick_andIsRetriedForIt() throws Exception {
        Claim run = win(t(1));
        assertThat(ledger().overlapped(job(), List.of(t(2), t(3)))).isTrue();
        end(run, "failed");
        JobSight.Failed failed = job().failed();
        assertThat(failed).isNotNull();
        assertThat(failed.tick()).isEqualTo(t(1));
        assertThat(failed.attempt()).isEqualTo(1);
        assertThat(failed.tries()).isEqualTo(1);
        assertThat(ledger().retry(job(), t(1), 2, ticket())).isInstanceOf(ClaimOutcome.Won.class);
        assertThat(states(t(1))).containsExactly("failed", "running");
    }

    @Test
    void look_failedAfterItWasHandedOver_countsTheOneTry() throws Exception {
        Claim run = win(t(1));
        assertThat(ledger().giveBack(run, true)).isTrue();
        end(takeOver(run.runId()), "failed");
        assertThat(job().failed()).extracting(JobSight.Failed::attempt, JobSight.Failed::tries).containsExactly(2, 1);
    }

    @Test
    void look_laterTickWasCountedAsMissed_theFailedOneIsOfThePast() throws Exception {
        end(win(t(1)), "failed");
        assertThat(job().failed()).isNotNull();
        assertThat(ledger().missed(job(), new Step.Stretch(t(2), t(4), 3))).isTrue();
        assertThat(job().failed()).isNull();
    }

    @Test
    void overlapped_duringARun_recordsEach() throws Exception {
        win(t(1));
        JobRow seen = job();
        assertThat(ledger().overlapped(seen, List.of(t(2), t(3)))).isTrue();
        assertThat(ledger().overlapped(seen, List.of(t(2), t(3)))).as("by another process").isFalse();
        assertThat(states(t(2))).containsExactly("overlapped");
        assertThat(states(t(3))).containsExactly("overlapped");
        assertThat(job().cursor()).isEqualTo(t(3));
    }

    @Test
    void missed_twice_isOneRow() throws Exception {
        JobRow seen = job();
        assertThat(ledger().missed(seen, new Step.Stretch(t(1), t(10), 10))).isTrue();
        assertThat(ledger().missed(seen, new Step.Stretch(t(1), t(10), 10))).as("by another process").isFalse();
        assertThat(ledger().missed(job(), new Step.Stretch(t(11), t(15), 5))).isTrue();
        assertThat(states(t(10))).isEmpty();
        assertThat(states(t(15))).containsExactly("missed");
        assertThat(job().cursor()).isEqualTo(t(15));
    }

    @Test
    void paused_notAPause_isRefused() throws Exception {
        pauseUntil(t(3));
        assertThat(ledger().paused(job(), new Step.Stretch(t(1), t(4), 4))).isFalse();
        assertThat(ledger().paused(job(), new Step.Stretch(t(1), t(3), 3))).isTrue();
        assertThat(states(t(3))).containsExactly("paused");
    }

    @Test
    void claimQueued_winsOnce_alsoPausedAndDisabled() throws Exception {
        pauseUntil(Instant.MAX);
        disable();
        long id = enqueue();
        JobRow seen = job();
        assertThat(seen.queuedId()).isEqualTo(id);
        ClaimOutcome outcome = ledger().claimQueued(seen, id, ticket());
        assertThat(outcome).isInstanceOf(ClaimOutcome.Won.class);
        Claim run = ((ClaimOutcome.Won) outcome).claim();
        assertThat(run.kind()).isEqualTo("manual");
        assertThat(passesFence(run)).isTrue();
        assertThat(ledger().claimQueued(seen, id, ticket())).isInstanceOf(ClaimOutcome.Refused.class);
        end(run, "unchanged");
        assertThat(ledger().claimQueued(seen, id, ticket())).isEqualTo(new ClaimOutcome.Lost(null));
    }

    @Test
    void beat_ours_extends_othersSayNo() throws Exception {
        Claim run = win(t(1));
        Map<Long, Ledger.Held> held = Map.of(run.runId(), new Ledger.Held(run.nonce(), "{\"phase\":\"load\"}"), 99L,
                new Ledger.Held(UUID.randomUUID(), null));
        assertThat(ledger().beat(held, Duration.ofHours(1))).isEqualTo(Map.of(run.runId(), true, 99L, false));
        JobRow.Running running = job().running();
        assertThat(running).isNotNull();
        assertThat(running.leaseUntil()).isAfter(Instant.now().plus(Duration.ofMinutes(50)));
        ledger().giveBack(run, true);
        assertThat(ledger().beat(held, LEASE)).as("given back").containsEntry(run.runId(), false);
    }

    @Test
    void settle_saysWhatTheRowSays() throws Exception {
        Claim run = win(t(1));
        assertThat(ledger().settle(run)).isEqualTo("running");
        end(run, "unchanged");
        assertThat(ledger().settle(run)).isEqualTo("unchanged");
        assertThat(ledger().state(run)).isEqualTo("unchanged");
    }
}
