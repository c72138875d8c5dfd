package io.bellwether.endtoend;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.bellwether.cluster.Part;

/** PostgreSQL is restarted every 20 seconds: in order, at once (SIGQUIT), and by SIGKILL, in turn. */
class DatabaseRestartSoak {
    private static final Duration EVERY = Duration.ofSeconds(20);
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @Test
    void database_restartedAllAlong_noTickIsLostOrDoneTwiceAndReadsGoOn() throws Exception {
        try (LongRun run = new LongRun("database-restart", false)) {
            run.upstream().dawdle(run.random(), Duration.ofMillis(1500));
            List<Long> pids = run.pids();
            for (int round = 0; run.goesOn(); round++) {
                long next = System.nanoTime() + EVERY.toNanos();
                restart(run, run.cluster().postgres(), round);
                LongRun.pass(Duration.ofNanos(next - System.nanoTime()));
            }
            TickReport report = run.judge(TickOracle::withTakeOversAtAnyTime);
            assertThat(run.pids()).isEqualTo(pids);
            // An outage is shorter than the grace: every tick is run, or fell into a run. A run may die of it.
            assertThat(report.states().keySet()).doesNotContain("missed", "refused", "timed-out");
            assertThat(run.errors()).isEmpty();
            run.tell(report, "");
        }
    }

    private static void restart(LongRun run, Part postgres, int round) throws Exception {
        long before = postgres.pid();
        switch (round % 4) {
            case 1 -> {
                postgres.kill();
                run.did("killed");
            }
            case 3 -> {
                postgres.signal("QUIT");
                run.did("immediate");
            }
            default -> {
                postgres.stop();
                run.passUpTo(Duration.ofSeconds(6));
                postgres.start();
                run.did("fast");
            }
        }
        eventually("the database is another process", LIMIT, () -> postgres.pid() != before && postgres.isAlive());
        postgres.start();
    }
}
