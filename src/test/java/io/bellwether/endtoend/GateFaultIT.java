package io.bellwether.endtoend;

import static io.bellwether.endtoend.FaultCluster.PROCESSES;
import static io.bellwether.endtoend.TestedSet.LIMIT;
import static io.bellwether.endtoend.TestedSet.state;
import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.bellwether.cluster.Part;
import io.bellwether.testing.TestProxy;

/** Redis in all the ways in which it fails: no tick runs twice, none is lost, and the gate says what is the case. */
class GateFaultIT {
    private static final Duration PERIOD = Duration.ofSeconds(1);

    @SuppressWarnings("NullAway.Init")
    private FaultCluster cluster;
    @SuppressWarnings("NullAway.Init")
    private RedisConsole redis;
    @SuppressWarnings("NullAway.Init")
    private Api api;
    private final Map<Integer, Api> apis = new HashMap<>();

    @BeforeEach
    void cluster() throws Exception {
        cluster = FaultCluster.get();
        redis = new RedisConsole(cluster.cluster());
        api = cluster.api();
        for (int number = 1; number <= PROCESSES; number++) {
            apis.put(number, cluster.api(number));
        }
        awaitGates("redis");
    }

    @AfterEach
    void mend() throws Exception {
        cluster.heal();
        cluster.cluster().redis().start();
        redis.ok("REPLICAOF NO ONE");
        redis.ok("CONFIG SET maxmemory 256mb");
        redis.ok("CONFIG SET maxmemory-policy noeviction");
    }

    /** Breaks or mends something. */
    @FunctionalInterface
    private interface Act {
        void run() throws Exception;
    }

    private interface Each {
        void on(TestProxy proxy) throws IOException;
    }

    private void proxies(Each each) throws IOException {
        for (int number = 1; number <= PROCESSES; number++) {
            each.on(cluster.redis(number));
        }
    }

    @Test
    void redis_cutForOneProcess_thatOneNeitherDoublesNorLosesATick() throws Exception {
        try (TestedSet set = new TestedSet(cluster, "gate-cut", PERIOD)) {
            cluster.redis(1).cut();
            awaitGate(1, "postgres");
            set.enable();
            awaitRun(set, "led without Redis", r -> isBy(r, 1) && hasGate(r, "postgres"));
            awaitRun(set, "led with Redis", r -> !isBy(r, 1) && hasGate(r, "redis"));
            awaitListed(1, "postgres");
            awaitListed(2, "redis");
            cluster.redis(1).pass();
            awaitGate(1, "redis");
            long last = newest(set);
            awaitRun(set, "led with Redis again", r -> id(r) > last && isBy(r, 1) && hasGate(r, "redis"));
            assertSound(set);
        }
    }

    @Test
    void redis_awayWhenAProcessStarts_isUsedOnceItIsThereWithoutARestart() throws Exception {
        try (TestedSet set = new TestedSet(cluster, "gate-start", PERIOD)) {
            Part process = cluster.process(2);
            long before = process.pid();
            cluster.redis(2).cut();
            process.kill();
            eventually("it is started again", LIMIT, () -> process.pid() != before && process.isAlive());
            long started = System.nanoTime();
            cluster.cluster().awaitReady();
            assertThat(Duration.ofNanos(System.nanoTime() - started)).as("until it is ready")
                    .isLessThan(Duration.ofSeconds(20));
            long pid = process.pid();
            set.enable();
            awaitRun(set, "led without Redis", r -> isBy(r, 2) && hasGate(r, "postgres"));
            cluster.redis(2).pass();
            awaitRun(set, "led with Redis", r -> isBy(r, 2) && hasGate(r, "redis"));
            assertThat(process.pid()).isEqualTo(pid);
            assertSound(set);
        }
    }

    @Test
    void redis_flushedInMidRun_theRunGoesOnAndTheNextTicksToo() throws Exception {
        inMidRun("gate-flush", () -> redis.ok("FLUSHALL"));
    }

    @Test
    void redis_restartedEmptyInMidRun_theRunGoesOnAndTheNextTicksToo() throws Exception {
        inMidRun("gate-restart", () -> {
            cluster.cluster().redis().stop();
            cluster.cluster().redis().start();
        });
    }

    @Test
    void redis_evictsTheLockInMidRun_theRunGoesOnAndTheNextTicksToo() throws Exception {
        inMidRun("gate-evict", () -> {
            assertThat(redis.keys()).contains("bellwether:{gate-evict}:leader");
            redis.ok("CONFIG SET maxmemory-policy allkeys-random");
            redis.ok("CONFIG SET maxmemory 1");
            // Any write makes it look for room; the processes' own do, too.
            redis.command("SET room x");
            eventually("the lock is evicted", LIMIT,
                    () -> !redis.keys().contains("bellwether:{gate-evict}:leader"));
            awaitGates("postgres");
            redis.ok("CONFIG SET maxmemory 256mb");
        });
    }

    /** While a run is in the middle of its feed. */
    private void inMidRun(String name, Act fault) throws Exception {
        try (TestedSet set = new TestedSet(cluster, name, PERIOD)) {
            TestUpstream.Pause pause = set.upstream().pauseNext();
            set.enable();
            pause.awaitReached();
            JsonNode run = set.running();
            fault.run();
            pause.release();
            awaitRun(set, "the run is published", r -> id(r) == id(run) && state(r).equals("published"));
            awaitRun(set, "others follow, led with Redis",
                    r -> id(r) > id(run) && state(r).equals("published") && hasGate(r, "redis"));
            assertSound(set);
        }
    }

    @Test
    void redis_answersStalled_ticksGoOnWithoutIt() throws Exception {
        whileBroken("gate-answers", () -> proxies(TestProxy::stallAnswers), () -> proxies(TestProxy::pass));
    }

    @Test
    void redis_requestsStalled_ticksGoOnWithoutIt() throws Exception {
        whileBroken("gate-requests", () -> proxies(TestProxy::stallRequests), () -> proxies(TestProxy::pass));
    }

    // A probe that only read found it up each second, and each tick found it away: two lines for every tick.
    @Test
    void redis_aReplicaThatOnlyReads_ticksGoOnWithoutItAndItIsToldOnce() throws Exception {
        List<String> before = logs();
        whileBroken("gate-replica", () -> redis.ok("REPLICAOF 127.0.0.1 1"), () -> redis.ok("REPLICAOF NO ONE"));
        for (int number = 1; number <= PROCESSES; number++) {
            String added = cluster.log(number).substring(before.get(number - 1).length());
            assertThat(added.lines().filter(line -> line.contains("redis is away"))).as("process %d", number)
                    .hasSize(1);
            assertThat(added.lines().filter(line -> line.contains("redis is up"))).as("process %d", number)
                    .hasSize(1);
        }
    }

    private void whileBroken(String name, Act fault, Act cure) throws Exception {
        try (TestedSet set = new TestedSet(cluster, name, PERIOD)) {
            set.enable();
            awaitRun(set, "led with Redis", r -> hasGate(r, "redis"));
            fault.run();
            awaitGates("postgres");
            long last = newest(set);
            awaitRuns(set, "led without Redis", 3, r -> id(r) > last && hasGate(r, "postgres"));
            cure.run();
            awaitGates("redis");
            long mended = newest(set);
            awaitRun(set, "led with Redis again", r -> id(r) > mended && hasGate(r, "redis"));
            assertSound(set);
        }
    }

    @Test
    void keys_manyTicks_areNoMoreThanJobs() throws Exception {
        try (TestedSet set = new TestedSet(cluster, "gate-keys", PERIOD)) {
            set.enable();
            for (int ticks = 1; ticks <= 5; ticks++) {
                set.awaitPublished(1);
                // One for each job under way, one for each probe, and what an unlock leaves for a moment.
                assertThat(redis.keys().stream().filter(key -> !key.contains("{probe}")).distinct().count())
                        .isLessThanOrEqualTo(2);
            }
            assertSound(set);
            eventually("no key is left", LIMIT,
                    () -> redis.keys().stream().allMatch(key -> key.contains("{probe}")));
        }
    }

    private static void assertSound(TestedSet set) throws Exception {
        set.disable();
        set.assertSound();
    }

    private void awaitRun(TestedSet set, String what, Predicate<JsonNode> wanted) throws Exception {
        awaitRuns(set, what, 1, wanted);
    }

    private void awaitRuns(TestedSet set, String what, int howMany, Predicate<JsonNode> wanted) throws Exception {
        eventually(what, LIMIT, () -> set.runs().stream().filter(wanted).count() >= howMany);
    }

    private static long id(JsonNode run) {
        return run.path("id").longValue();
    }

    private static long newest(TestedSet set) throws Exception {
        return set.runs().stream().mapToLong(GateFaultIT::id).max().orElse(0);
    }

    private boolean isBy(JsonNode run, int number) {
        return cluster.cluster().describe().processes().get(number - 1).name().equals(run.path("process").textValue());
    }

    private static boolean hasGate(JsonNode run, String gate) {
        return gate.equals(run.path("gate").textValue());
    }

    private void awaitGates(String gate) throws Exception {
        for (int number = 1; number <= PROCESSES; number++) {
            awaitGate(number, gate);
        }
    }

    /** Waits until the process says so of itself, to whoever reads its meters. */
    private void awaitGate(int number, String gate) throws Exception {
        eventually("process " + number + " goes by " + gate, LIMIT,
                () -> Objects.requireNonNull(apis.get(number)).meter("bellwether_redis_up") == (gate.equals("redis")
                        ? 1
                        : 0));
    }

    /** Waits until the list of all processes says so of that one. */
    private void awaitListed(int number, String gate) throws Exception {
        eventually("process " + number + " says " + gate, LIMIT, () -> {
            String name = cluster.cluster().describe().processes().get(number - 1).name();
            for (JsonNode process : api.json("/v1/admin/processes").path("processes")) {
                if (process.path("name").textValue().equals(name)) {
                    return process.path("gate").textValue().equals(gate);
                }
            }
            return false;
        });
    }

    private List<String> logs() throws IOException {
        List<String> logs = new ArrayList<>();
        for (int number = 1; number <= PROCESSES; number++) {
            logs.add(cluster.log(number));
        }
        return logs;
    }
}
