package io.bellwether.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.bellwether.cluster.Part;

/** Every three seconds one of the processes is killed (SIGKILL), whatever it does; the cluster starts it again. */
class RandomKillSoak {
    private static final Duration EVERY = Duration.ofSeconds(3);

    @Test
    void processes_killedAtRandom_everyRevisionIsAFeedAndNoTickIsDoneTwice() throws Exception {
        try (LongRun run = new LongRun("random-kill", true)) {
            run.upstream().dawdle(run.random(), Duration.ofMillis(1500));
            int fewest = run.cluster().processes();
            while (run.goesOn()) {
                LongRun.pass(EVERY);
                List<Part> alive = IntStream.rangeClosed(1, run.cluster().processes()).mapToObj(run.cluster()::process)
                        .filter(Part::isAlive).toList();
                fewest = Math.min(fewest, alive.size());
                if (!alive.isEmpty()) {
                    alive.get(run.random().nextInt(alive.size())).kill();
                    run.did("killed");
                }
            }
            // Now and then none is left to take a run over until the cluster has started one again.
            TickReport report = run.judge(TickOracle::withTakeOversAtAnyTime);
            assertThat(report.states().keySet()).isSubsetOf("published", "unchanged", "overlapped", "abandoned",
                    "superseded");
            assertThat(run.errors()).isEmpty();
            run.tell(report, " fewest alive=" + fewest);
        }
    }
}
