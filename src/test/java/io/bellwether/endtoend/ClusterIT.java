package io.bellwether.endtoend;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.bellwether.cluster.ClusterFile;
import io.bellwether.cluster.LocalCluster;
import io.bellwether.cluster.Part;
import io.bellwether.feed.FeedShape;

class ClusterIT {
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final FeedShape FEED = new FeedShape(600, 7, 0.02, 0);
    private static final String EVERY_TWO_SECONDS = "*/2 * * * * *";

    @SuppressWarnings("NullAway.Init")
    private LocalCluster cluster;
    @SuppressWarnings("NullAway.Init")
    private Api api;

    @BeforeEach
    void cluster() throws Exception {
        cluster = SharedCluster.get();
        api = new Api(cluster);
    }

    @Test
    void ticks_fourProcesses_eachIsRunOnceAndPublishedWhole() throws Exception {
        String set = "once";
        try (TestUpstream upstream = new TestUpstream(FEED); Watcher watcher = new Watcher(api, set)) {
            api.put(set, upstream.url(), EVERY_TWO_SECONDS, true);
            eventually("a dozen ticks", LIMIT, () -> published(set).size() >= 12);
            rest(set, upstream);

            assertOneRowPerTick(set);
            List<JsonNode> published = published(set);
            assertThat(published.stream().map(r -> r.path("revision").longValue()))
                    .containsExactlyElementsOf(
                            IntStream.rangeClosed(1, published.size()).mapToObj(i -> (long) i).toList());
            List<byte[]> served = upstream.served();
            assertThat(served).hasSameSizeAs(published);
            for (int i = 0; i < served.size(); i++) {
                assertThat(api.verifiedLines(set, i + 1L)).as("revision %d", i + 1)
                        .containsExactlyInAnyOrderElementsOf(TestUpstream.lines(served.get(i)).values());
            }
            assertThat(watcher.complaints()).isEmpty();
            assertThat(watcher.answers()).isGreaterThan(100);
        }
    }

    // A default in logback's pattern that logback does not know made every line say "null".
    @Test
    void log_ofEachProcess_bearsItsName() throws Exception {
        List<ClusterFile.ServeProcess> processes = cluster.describe().processes();
        for (int number = 1; number <= processes.size(); number++) {
            assertThat(Files.readString(cluster.dir().resolve("logs/process-" + number + ".log")))
                    .contains(" [" + processes.get(number - 1).name() + "] ").doesNotContain("[null]");
        }
    }

    @Test
    void leader_killedInMidRefresh_anotherFinishesTheTickAndNothingHalfIsSeen() throws Exception {
        String set = "killed";
        try (TestUpstream upstream = new TestUpstream(FEED); Watcher watcher = new Watcher(api, set)) {
            api.put(set, upstream.url(), EVERY_TWO_SECONDS, true);
            eventually("a first revision", LIMIT, () -> !published(set).isEmpty());
            TestUpstream.Pause pause = upstream.pauseNext();
            pause.awaitReached();
            JsonNode run = running(set);
            leader(run).kill();
            pause.release();

            String tick = run.path("scheduledAt").textValue();
            eventually("the tick is finished by another", LIMIT, () -> api.runs(set).stream()
                    .anyMatch(r -> r.path("scheduledAt").textValue().equals(tick) && r.path("attempt").intValue() == 2
                            && r.path("state").textValue().equals("published")));
            rest(set, upstream);
            assertThat(attempts(set, tick)).extracting(r -> r.path("state").textValue()).containsExactly("abandoned",
                    "published");
            assertThat(attempts(set, tick)).extracting(r -> r.path("process").textValue()).doesNotHaveDuplicates();
            assertOneRowPerTick(set);
            long head = published(set).size();
            assertThat(api.verifiedLines(set, head)).containsExactlyInAnyOrderElementsOf(
                    TestUpstream.lines(upstream.served().getLast()).values());
            assertThat(watcher.complaints()).isEmpty();
        }
    }

    @Test
    void leader_stoppedForLongerThanItsLease_doesNotPublishWhenItGoesOn() throws Exception {
        String set = "stopped";
        try (TestUpstream upstream = new TestUpstream(FEED); Watcher watcher = new Watcher(api, set)) {
            api.put(set, upstream.url(), EVERY_TWO_SECONDS, true);
            eventually("a first revision", LIMIT, () -> !published(set).isEmpty());
            TestUpstream.Pause pause = upstream.pauseNext();
            pause.awaitReached();
            JsonNode run = running(set);
            String tick = run.path("scheduledAt").textValue();
            Part leader = leader(run);
            leader.signal("STOP");
            try {
                eventually("another took the tick over", LIMIT, () -> attempts(set, tick).size() == 2);
                pause.release();
                eventually("and published it", LIMIT, () -> attempts(set, tick).stream()
                        .anyMatch(r -> r.path("state").textValue().equals("published")));
            } finally {
                leader.signal("CONT");
            }
            eventually("the late run knows that it is late", LIMIT, () -> Set.of("fenced", "abandoned")
                    .contains(attempts(set, tick).getFirst().path("state").textValue()));
            rest(set, upstream);
            assertThat(attempts(set, tick)).filteredOn(r -> r.path("state").textValue().equals("published")).hasSize(1);
            assertOneRowPerTick(set);
            assertThat(watcher.complaints()).isEmpty();
        }
    }

    @Test
    void redis_stopped_ticksGoOnByTheDatabaseAlone() throws Exception {
        String set = "no-redis";
        try (TestUpstream upstream = new TestUpstream(FEED); Watcher watcher = new Watcher(api, set)) {
            api.put(set, upstream.url(), EVERY_TWO_SECONDS, true);
            eventually("a run by the lock in Redis", LIMIT, () -> hasGate(set, "redis"));
            cluster.redis().signal("STOP");
            try {
                eventually("runs without it", LIMIT, () -> hasGate(set, "postgres"));
            } finally {
                cluster.redis().signal("CONT");
            }
            Instant back = Instant.now();
            eventually("runs with it again", LIMIT, () -> published(set).stream().anyMatch(
                    r -> r.path("gate").textValue().equals("redis")
                            && Instant.parse(r.path("claimedAt").textValue()).isAfter(back)));
            rest(set, upstream);
            assertOneRowPerTick(set);
            assertThat(watcher.complaints()).isEmpty();
        }
    }

    @Test
    void processes_restartedOneByOne_noRequestFailsAndNoTickIsLost() throws Exception {
        String set = "rolling";
        try (TestUpstream upstream = new TestUpstream(FEED)) {
            api.put(set, upstream.url(), EVERY_TWO_SECONDS, true);
            eventually("a first revision", LIMIT, () -> !published(set).isEmpty());
            try (Watcher watcher = new Watcher(api, set)) {
                for (int number = 1; number <= cluster.processes(); number++) {
                    long before = cluster.process(number).pid();
                    Part process = cluster.process(number);
                    process.signal("TERM");
                    eventually("process is replaced", LIMIT, () -> process.pid() != before);
                    cluster.awaitReady();
                }
                assertThat(watcher.complaints()).isEmpty();
            }
            rest(set, upstream);
            assertOneRowPerTick(set);
        }
    }

    /** Disables the set and waits until nothing runs any more. */
    private void rest(String set, TestUpstream upstream) throws Exception {
        api.put(set, upstream.url(), EVERY_TWO_SECONDS, false);
        eventually("nothing runs", LIMIT, () -> api.runs(set).stream()
                .noneMatch(r -> Set.of("running", "queued").contains(r.path("state").textValue())));
    }

    private void assertOneRowPerTick(String set) throws Exception {
        List<Instant> ticks = new ArrayList<>();
        for (JsonNode run : api.runs(set)) {
            if (run.path("attempt").intValue() == 1) {
                ticks.add(Instant.parse(run.path("scheduledAt").textValue()));
            }
        }
        ticks.sort(null);
        assertThat(new HashSet<>(ticks)).hasSameSizeAs(ticks);
        for (int i = 1; i < ticks.size(); i++) {
            assertThat(Duration.between(ticks.get(i - 1), ticks.get(i))).as("after %s", ticks.get(i - 1)).isEqualTo(
                    Duration.ofSeconds(2));
        }
    }

    private JsonNode running(String set) throws Exception {
        return api.runs(set).stream().filter(r -> r.path("state").textValue().equals("running")).findFirst()
                .orElseThrow();
    }

    /** The process of a run. */
    private Part leader(JsonNode run) {
        List<ClusterFile.ServeProcess> processes = cluster.describe().processes();
        for (int i = 0; i < processes.size(); i++) {
            if (processes.get(i).name().equals(run.path("process").textValue())) {
                return cluster.process(i + 1);
            }
        }
        throw new AssertionError("no process is called " + run.path("process"));
    }

    private boolean hasGate(String set, String gate) throws Exception {
        return published(set).stream().anyMatch(r -> r.path("gate").textValue().equals(gate));
    }

    /** The attempts of a tick, the first one first. */
    private List<JsonNode> attempts(String set, String tick) throws Exception {
        return api.runs(set).stream().filter(r -> r.path("scheduledAt").textValue().equals(tick)).toList().reversed();
    }

    /** The published runs, the oldest first. */
    private List<JsonNode> published(String set) throws Exception {
        Map<Long, JsonNode> byRevision = new java.util.TreeMap<>();
        api.runs(set).stream().filter(r -> r.path("state").textValue().equals("published"))
                .forEach(r -> byRevision.put(r.path("revision").longValue(), r));
        return List.copyOf(byRevision.values());
    }
}
