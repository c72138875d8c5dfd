package io.bellwether.endtoend;

import static io.bellwether.endtoend.FaultCluster.PROCESSES;
import static io.bellwether.endtoend.TestedSet.LIMIT;
import static io.bellwether.endtoend.TestedSet.state;
import static io.bellwether.endtoend.TestedSet.tick;
import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The database away in mid-run, for longer than the lease: the processes stay, serve, and go on by themselves. */
class DatabaseCutIT {
    private static final Duration PERIOD = Duration.ofSeconds(1);

    @SuppressWarnings("NullAway.Init")
    private FaultCluster cluster;
    private final Map<Integer, Api> apis = new HashMap<>();

    @BeforeEach
    void cluster() throws Exception {
        cluster = FaultCluster.get();
        for (int number = 1; number <= PROCESSES; number++) {
            apis.put(number, cluster.api(number));
        }
    }

    @Test
    void database_cutForTheLeaderInMidRun_aPeerFinishesTheTickAndTheLeaderServesOn() throws Exception {
        try (TestedSet set = new TestedSet(cluster, "database-cut", PERIOD)) {
            JsonNode run = inMidRun(set);
            int leader = cluster.number(run.path("process").textValue());
            long pid = cluster.process(leader).pid();
            TestUpstream.Pause pause = paused;
            cluster.database(leader).cut();
            eventually("a peer has taken the tick over and published it", LIMIT, () -> set.attempts(tick(run)).stream()
                    .anyMatch(r -> r.path("attempt").intValue() == 2 && state(r).equals("published")));
            assertServesStale(leader, set.name());
            pause.release();
            cluster.database(leader).pass();
            long revision = set.revision();
            eventually("it leads again", LIMIT, () -> set.runs().stream().anyMatch(
                    r -> r.path("revision").asLong() > revision && r.path("process").equals(run.path("process"))));
            assertThat(cluster.process(leader).pid()).isEqualTo(pid);
            assertThat(state(set.attempts(tick(run)).getFirst())).as("its late run").isIn("abandoned", "fenced");
            set.assertSound();
        }
    }

    @Test
    void database_cutForAllInMidRun_theyServeOnAndGoOnByThemselves() throws Exception {
        try (TestedSet set = new TestedSet(cluster, "database-cut-all", PERIOD)) {
            JsonNode run = inMidRun(set);
            List<Long> pids = pids();
            for (int number = 1; number <= PROCESSES; number++) {
                cluster.database(number).cut();
            }
            paused.release();
            long end = System.nanoTime() + FaultCluster.LEASE.plusSeconds(2).toNanos();
            eventually("longer than the lease", LIMIT, () -> {
                for (int number = 1; number <= PROCESSES; number++) {
                    assertServes(number, set.name());
                }
                return System.nanoTime() > end;
            });
            for (int number = 1; number <= PROCESSES; number++) {
                assertServesStale(number, set.name());
                cluster.database(number).pass();
            }
            eventually("the tick is finished", LIMIT, () -> set.attempts(tick(run)).stream()
                    .anyMatch(r -> state(r).equals("published") || state(r).equals("superseded")));
            set.awaitPublished(2);
            assertThat(pids()).isEqualTo(pids);
            set.assertSound();
        }
    }

    @SuppressWarnings("NullAway.Init")
    private TestUpstream.Pause paused;

    /** A run that waits in the middle of its feed; there was one before. */
    private JsonNode inMidRun(TestedSet set) throws Exception {
        set.enable();
        set.awaitPublished(1);
        set.assertServedByAll(1);
        paused = set.upstream().pauseNext();
        paused.awaitReached();
        return set.running();
    }

    private HttpResponse<byte[]> assertServes(int number, String set) throws Exception {
        HttpResponse<byte[]> answer = Objects.requireNonNull(apis.get(number)).get("/v1/sets/" + set);
        assertThat(answer.statusCode()).as("process %d", number).isEqualTo(200);
        return answer;
    }

    private void assertServesStale(int number, String set) throws Exception {
        eventually("process " + number + " says that it is stale", LIMIT,
                () -> assertServes(number, set).headers().firstValue("Bellwether-Stale").isPresent());
    }

    private List<Long> pids() {
        return IntStream.rangeClosed(1, PROCESSES).mapToObj(number -> cluster.process(number).pid()).toList();
    }
}
