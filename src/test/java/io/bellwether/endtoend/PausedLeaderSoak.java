package io.bellwether.endtoend;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.bellwether.cluster.Part;

/** The leader is stopped (SIGSTOP) in the middle of its run for longer than its lease, again and again. */
class PausedLeaderSoak {
    private static final Duration PAUSE = LongRun.LEASE.plus(TickRules.TAKE_OVER);
    /** The processes share the machine's few cores, and the clock begins before the signal is sent. */
    private static final Duration SLACK = Duration.ofSeconds(1);
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Test
    void leader_stoppedForLongerThanItsLease_isTakenOverInTimeAndKeptOutWhenItGoesOn() throws Exception {
        try (LongRun run = new LongRun("paused-leader", false)) {
            List<Duration> takeOvers = new ArrayList<>();
            for (int round = 0; round < LongRun.rounds(50); round++) {
                takeOvers.add(pauseOnce(run));
                run.did("stop");
            }
            TickReport report = run.judge(oracle -> oracle);
            assertThat(report.count("fenced")).isEqualTo(takeOvers.size());
            assertThat(report.states()).containsOnlyKeys("published", "overlapped", "fenced");
            assertThat(run.watcher().retried()).isZero();
            assertThat(run.watcher().fellStale()).isZero();
            assertThat(run.errors()).isEmpty();
            takeOvers.sort(null);
            run.tell(report, " taken over after the stop " + TickReport.spread(takeOvers));
            assertThat(takeOvers.getLast()).isLessThanOrEqualTo(PAUSE.plus(SLACK));
        }
    }

    /** Returns how long after the stop the run was taken over. */
    private static Duration pauseOnce(LongRun run) throws Exception {
        TestUpstream.Pause inMidRun = run.upstream().pauseNext();
        inMidRun.awaitReached();
        RunRow late = run.recent().stream().filter(RunRow::isOpen).findFirst().orElseThrow();
        Part leader = run.process(late.process());
        Instant stopped = Instant.now();
        leader.signal("STOP");
        try {
            inMidRun.release();
            LongRun.pass(PAUSE);
        } finally {
            leader.signal("CONT");
        }
        eventually("the late run of " + late.tick() + " is fenced", LIMIT,
                () -> attempts(run, late).getFirst().state().equals("fenced"));
        eventually("the tick " + late.tick() + " is published", LIMIT,
                () -> attempts(run, late).getLast().isPublished());
        List<RunRow> attempts = attempts(run, late);
        assertThat(attempts).extracting(RunRow::state).containsExactly("fenced", "published");
        assertThat(attempts).extracting(RunRow::process).doesNotHaveDuplicates();
        return Duration.between(stopped, attempts.getLast().claimed());
    }

    private static List<RunRow> attempts(LongRun run, RunRow first) throws Exception {
        return run.recent().stream().filter(row -> row.tick().equals(first.tick())).toList().reversed();
    }
}
