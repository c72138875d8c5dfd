package io.bellwether.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

/** Every three seconds one of the processes is killed (SIGKILL), whatever it does; the cluster starts it again. */
class RandomKillSoak {
    private static final Duration EVERY = Duration.ofSeconds(3);
    private static final Duration LOOK = Duration.ofMillis(100);

    @Test
    void processes_killedAtRandom_everyRevisionIsAFeedAndNoTickIsDoneTwice() throws Exception {
        try (LongRun run = new LongRun("random-kill", true)) {
            run.upstream().dawdle(run.random(), Duration.ofMillis(1500));
            Lives lives = new Lives(run.cluster());
            while (run.goesOn()) {
                for (long end = System.nanoTime() + EVERY.toNanos(); System.nanoTime() < end; lives.look()) {
                    LongRun.pass(LOOK);
                }
                List<Integer> alive = IntStream.rangeClosed(1, run.cluster().processes())
                        .filter(number -> run.cluster().process(number).isAlive()).boxed().toList();
                if (!alive.isEmpty()) {
                    lives.kill(alive.get(run.random().nextInt(alive.size())));
                    run.did("killed");
                }
            }
            TickReport report = run.judge(oracle -> oracle.withProcessesUp(lives.all()));
            assertThat(report.states().keySet()).isSubsetOf("published", "unchanged", "overlapped", "abandoned",
                    "superseded");
            assertThat(run.errors()).isEmpty();
            assertThat(run.watcher().cut()).as("answers cut").isLessThanOrEqualTo(run.count("killed"));
            run.tell(report, " longest without a ready process " + lives.noneUp().toMillis() + " ms");
        }
    }
}
