package io.bellwether.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NextStepTest {
    /** The cursor: the tick at this instant has its row. */
    private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");

    private CronSchedule schedule = CronSchedule.parse("*/5 * * * * *", "UTC");
    private MisfirePolicy.Kind misfire = MisfirePolicy.Kind.COALESCE;
    private boolean enabled = true;
    private @Nullable Instant pausedUntil;
    private JobSight.@Nullable Running running;
    private JobSight.@Nullable Queued queued;
    private JobSight.@Nullable Failed failed;
    private JobSight.@Nullable LostGate lostGate;
    private @Nullable Instant hauntedUntil;
    private JobSight.Manners manners = JobSight.Manners.NONE;
    private Instant cursor = T0;

    private Step at(double seconds) {
        JobSight sight = new JobSight(schedule, new MisfirePolicy(misfire, MisfirePolicy.GRACE, Duration.ofDays(1)),
                enabled, pausedUntil, cursor, running, queued, failed, lostGate, hauntedUntil, manners);
        return NextStep.of(sight, t(seconds));
    }

    private static Instant t(double seconds) {
        return T0.plusNanos((long) (seconds * 1e9));
    }

    private static JobSight.Running running(double claimed, double leaseUntil) {
        return new JobSight.Running(7, t(claimed), t(leaseUntil), false, false);
    }

    private static Step.Stretch stretch(int first, int last, int count) {
        return new Step.Stretch(t(first), t(last), count);
    }

    @Test
    void nothingDue_waitsForTheTick() {
        assertThat(at(4.98)).isEqualTo(new Step.Wait(t(5)));
    }

    @Test
    void due_claims() {
        assertThat(at(5)).isEqualTo(new Step.Claim(t(5), true));
    }

    @Test
    void due_busyProcess_holdsBackALittle() {
        manners = new JobSight.Manners(Duration.ofMillis(40), Duration.ZERO);
        assertThat(at(5)).isEqualTo(new Step.Wait(t(5.04)));
        assertThat(at(5.04)).isEqualTo(new Step.Claim(t(5), true));
    }

    @Test
    void due_disabled_waitsForever() {
        enabled = false;
        assertThat(at(50)).isEqualTo(new Step.Wait(Instant.MAX));
    }

    @Test
    void shortBacklog_runsInOrder() {
        assertThat(at(29)).isEqualTo(new Step.Claim(t(5), true));
    }

    @Test
    void backlogOverGrace_coalesce_countsAllButTheNewest() {
        assertThat(at(36)).isEqualTo(new Step.Missed(stretch(5, 30, 6)));
    }

    @Test
    void oneTickOverGrace_coalesce_runsLate() {
        schedule = CronSchedule.parse("0 0 * * * *", "UTC");
        assertThat(at(2 * 3600 - 1)).isEqualTo(new Step.Claim(t(3600), true));
    }

    @Test
    void newestOlderThanTheWindow_coalesce_isCountedToo() {
        schedule = CronSchedule.parse("0 0 0 1 * *", "UTC");
        assertThat(at(33 * 86_400.0)).isEqualTo(new Step.Missed(stretch(31 * 86_400, 31 * 86_400, 1)));
    }

    @Test
    void backlogOverGrace_skip_countsTheLateOnes() {
        misfire = MisfirePolicy.Kind.SKIP;
        assertThat(at(46)).isEqualTo(new Step.Missed(stretch(5, 15, 3)));
    }

    @Test
    void hugeBacklog_isCountedInChunks() {
        schedule = CronSchedule.parse("* * * * * *", "UTC");
        assertThat(at(25_000)).isEqualTo(new Step.Missed(stretch(1, NextStep.CHUNK / 2, NextStep.CHUNK / 2)));
    }

    // A chunk was counted whole, and the few ticks after it, not yet late by themselves, were run one after the other.
    @Test
    void backlogJustOverAChunk_leavesAMisfireBehindAndNotTheLastSecondsAlone() {
        schedule = CronSchedule.parse("* * * * * *", "UTC");
        int half = NextStep.CHUNK / 2;
        assertThat(at(NextStep.CHUNK + 5)).isEqualTo(new Step.Missed(stretch(1, half, half)));
        assertThat(at(half + 5)).isEqualTo(new Step.Missed(stretch(1, half + 4, half + 4)));
    }

    @Test
    void tenThousandMissed_takesMilliseconds() {
        schedule = CronSchedule.parse("* * * * * *", "UTC");
        at(10_000);
        long begun = System.nanoTime();
        assertThat(at(10_000)).isEqualTo(new Step.Missed(stretch(1, 9_999, 9_999)));
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofMillis(500));
    }

    @Test
    void paused_countsWhatIsDue() {
        pausedUntil = Instant.MAX;
        assertThat(at(17)).isEqualTo(new Step.Paused(stretch(5, 15, 3)));
    }

    @Test
    void pausedUntilLongAgo_countsOnlyWhatWasDueThen() {
        pausedUntil = t(12);
        assertThat(at(22)).isEqualTo(new Step.Paused(stretch(5, 10, 2)));
        pausedUntil = t(4);
        assertThat(at(6)).isEqualTo(new Step.Claim(t(5), true));
    }

    @Test
    void running_tickDueAtTheClaimAlready_waitsItsTurn() {
        running = running(6, 36);
        assertThat(at(7)).isEqualTo(new Step.Wait(t(36)));
        assertThat(at(12)).isEqualTo(new Step.Wait(t(36)));
    }

    @Test
    void running_tickDueDuringTheRun_isOverlapped() {
        running = running(0, 30);
        assertThat(at(4)).isEqualTo(new Step.Wait(t(5)));
        assertThat(at(11)).isEqualTo(new Step.Overlapped(List.of(t(5), t(10))));
    }

    @Test
    void running_pausedMeanwhile_countsAsPaused() {
        running = running(0, 30);
        pausedUntil = Instant.MAX;
        assertThat(at(11)).isEqualTo(new Step.Paused(stretch(5, 10, 2)));
    }

    @Test
    void leaseOver_isTakenOverAfterPatience() {
        running = running(6, 7);
        manners = new JobSight.Manners(Duration.ZERO, Duration.ofSeconds(1));
        assertThat(at(7.5)).isEqualTo(new Step.Wait(t(8)));
        assertThat(at(8)).isEqualTo(new Step.TakeOver(7, false));
    }

    @Test
    void leaseOver_handedOver_isTakenOverAtOnce() {
        running = new JobSight.Running(7, t(6), t(7), true, false);
        manners = new JobSight.Manners(Duration.ZERO, Duration.ofSeconds(1));
        assertThat(at(7)).isEqualTo(new Step.TakeOver(7, false));
    }

    @Test
    void leaseOver_ticksOfTheLastSeconds_doNotSupersede() {
        // Somebody alive would have recorded them as overlapped; a live cluster finishes what its dead leader began.
        running = running(0, 3);
        assertThat(at(8)).isEqualTo(new Step.TakeOver(7, false));
    }

    @Test
    void leaseOverForLong_newerTickDue_supersedes() {
        running = running(0, 3);
        assertThat(at(20)).isEqualTo(new Step.TakeOver(7, true));
    }

    @Test
    void leaseOverForLong_manualRun_isNeverSuperseded() {
        // An approval or a rollback that died with its process was dropped as soon as a tick was due.
        running = new JobSight.Running(7, t(0), t(3), false, true);
        assertThat(at(20)).isEqualTo(new Step.TakeOver(7, false));
    }

    @Test
    void lostGate_looksTwoSecondsLater_andClaimsWithoutIt() {
        lostGate = new JobSight.LostGate(t(5), t(5.1));
        assertThat(at(5.2)).isEqualTo(new Step.Wait(t(7.1)));
        assertThat(at(7.1)).isEqualTo(new Step.Claim(t(5), false));
    }

    @Test
    void lostGateOfAnEarlierTick_doesNotMatter() {
        lostGate = new JobSight.LostGate(T0, t(4.9));
        assertThat(at(5)).isEqualTo(new Step.Claim(t(5), true));
    }

    @Test
    void hauntedGate_isNotAskedForAWhile() {
        hauntedUntil = t(7);
        assertThat(at(5)).isEqualTo(new Step.Claim(t(5), false));
        assertThat(at(7)).isEqualTo(new Step.Claim(t(5), true));
    }

    @Test
    void queued_comesFirst_evenPausedOrDisabled() {
        queued = new JobSight.Queued(9, t(1));
        assertThat(at(6)).isEqualTo(new Step.ClaimQueued(9, t(1), true));
        enabled = false;
        assertThat(at(6)).isEqualTo(new Step.ClaimQueued(9, t(1), true));
        pausedUntil = Instant.MAX;
        assertThat(at(6)).isEqualTo(new Step.ClaimQueued(9, t(1), true));
    }

    @Test
    void queued_gateLost_looksTwoSecondsLater() {
        queued = new JobSight.Queued(9, t(1));
        lostGate = new JobSight.LostGate(t(1), t(1));
        assertThat(at(2)).isEqualTo(new Step.Wait(t(3)));
        assertThat(at(3)).isEqualTo(new Step.ClaimQueued(9, t(1), false));
    }

    @Test
    void queued_duringARun_waits() {
        queued = new JobSight.Queued(9, t(1));
        running = running(0, 30);
        assertThat(at(2)).isEqualTo(new Step.Wait(t(5)));
    }

    @Test
    void failed_rareSchedule_isRetriedAfterAPause() {
        schedule = CronSchedule.parse("0 0 * * * *", "UTC");
        failed = new JobSight.Failed(T0, 1, 1, t(10));
        assertThat(at(20)).isEqualTo(new Step.Wait(t(40)));
        assertThat(at(40)).isEqualTo(new Step.Retry(T0, 2, true));
        failed = new JobSight.Failed(T0, 2, 2, t(50));
        assertThat(at(60)).isEqualTo(new Step.Wait(t(110)));
        failed = new JobSight.Failed(T0, 3, 3, t(120));
        assertThat(at(300)).isEqualTo(new Step.Wait(t(3600)));
    }

    @Test
    void failed_gateHeldByAGhost_isRetriedWithoutItTwoSecondsLater() {
        // A ghost lock made every process ask the gate again and again, and none went past it.
        schedule = CronSchedule.parse("0 0 * * * *", "UTC");
        failed = new JobSight.Failed(T0, 1, 1, t(10));
        lostGate = new JobSight.LostGate(T0, t(40.1));
        assertThat(at(40.2)).isEqualTo(new Step.Wait(t(42.1)));
        assertThat(at(42.1)).isEqualTo(new Step.Retry(T0, 2, false));
        lostGate = null;
        hauntedUntil = t(45);
        assertThat(at(42.1)).isEqualTo(new Step.Retry(T0, 2, false));
    }

    @Test
    void failed_gateWasHeldByTheRunThatFailed_isAskedAgain() {
        schedule = CronSchedule.parse("0 0 * * * *", "UTC");
        failed = new JobSight.Failed(T0, 1, 1, t(10));
        lostGate = new JobSight.LostGate(T0, t(0.1));
        assertThat(at(40)).isEqualTo(new Step.Retry(T0, 2, true));
    }

    @Test
    void failed_ticksOverlappedSince_isRetriedForItsOwnTick() {
        schedule = CronSchedule.parse("0 0 * * * *", "UTC");
        cursor = t(5);
        failed = new JobSight.Failed(T0, 1, 1, t(10));
        assertThat(at(40)).isEqualTo(new Step.Retry(T0, 2, true));
    }

    @Test
    void failed_handedOverBefore_countsTriesAlone() {
        schedule = CronSchedule.parse("0 0 * * * *", "UTC");
        failed = new JobSight.Failed(T0, 3, 1, t(10));
        assertThat(at(20)).isEqualTo(new Step.Wait(t(40)));
        assertThat(at(40)).isEqualTo(new Step.Retry(T0, 4, true));
    }

    @Test
    void failed_nextTickIsNear_isNotRetried() {
        failed = new JobSight.Failed(T0, 1, 1, t(1));
        assertThat(at(2)).isEqualTo(new Step.Wait(t(5)));
    }
}
