package io.bellwether.endtoend;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.bellwether.cluster.ClusterOptions;
import io.bellwether.cluster.LocalCluster;
import io.bellwether.feed.FeedShape;

/**
 * Thousands of waiting polls: what each costs, what is left of those that were abandoned, how soon all hear of a publish.
 *
 * <p>System properties: {@code bellwether.soak.polls} (5,000 at one process, 2,000 through the front), {@code
 * bellwether.soak.rounds} (100 publishes), {@code bellwether.soak.processes} (4 behind the front).
 */
class WaitingPollsSoak {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final String NEVER = "0 0 0 29 2 *";
    private static final int MOST_BYTES_EACH = 20 << 10;

    /** What buffers that are pooled and tables that have grown may keep, however many polls there were. */
    private static final long POOLED_BYTES = 4L << 20;

    /** All of the heap is there from the start, so that what is resident grows by what is outside of it alone. */
    private static final String WHOLE_HEAP = "-Xms256m -Xmx256m -XX:+AlwaysPreTouch";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;
    @SuppressWarnings("NullAway.Init")
    private TestUpstream upstream;

    @BeforeEach
    void start() throws Exception {
        upstream = new TestUpstream(Feeds.of(new FeedShape(300, 5, 0.02, 0)));
    }

    @AfterEach
    void stop() {
        upstream.close();
    }

    private LocalCluster cluster(int processes, String options) throws Exception {
        PortsOfItsOwn.choose(dir);
        LocalCluster cluster = LocalCluster.start(ClusterOptions.of(Path.of("target/bellwether"), dir)
                .withProcesses(processes).with("BELLWETHER_JVM_OPTS", options), _ -> {});
        try {
            Api api = new Api(cluster);
            api.put("waiting", upstream.url(), NEVER, true);
            publish(api);
            return cluster;
        } catch (Exception | AssertionError e) {
            cluster.close();
            throw e;
        }
    }

    /** Has the next state published, and returns its revision. */
    private static long publish(Api api) throws Exception {
        String run = "/v1/admin/jobs/waiting/runs/" + api.runNow("waiting").path("id").asLong();
        eventually(run + " is over", LIMIT, () -> !api.json(run).path("finishedAt").isNull());
        assertThat(api.json(run).path("state").asText()).isEqualTo("published");
        return api.json(run).path("revision").asLong();
    }

    /** In full, 5,000 polls at one process; 2,000 of them are abandoned. */
    @Test
    void polls_waitingAtOneProcess_costLittleAndLeaveNothing() throws Exception {
        int count = Integer.getInteger("bellwether.soak.polls", 5_000);
        int gone = count * 2 / 5;
        try (LocalCluster cluster = cluster(1, WHOLE_HEAP)) {
            URI url = URI.create(cluster.describe().processes().getFirst().url() + "/v1/sets/waiting");
            Measured process = new Measured(new Api(cluster.describe().processes().getFirst().url(),
                    cluster.adminToken()), cluster.process(1).pid());
            // What is loaded once, and buffers that are pooled for good, are no cost of a poll.
            try (Waiters warm = new Waiters(url, cluster.adminToken(), 200)) {
                process.awaitWaiting(200);
                publish(process.api);
                process.awaitWaiting(200);
                assertThat(warm.broken()).isZero();
            }
            process.awaitWaiting(0);
            long descriptors = process.descriptors();
            long heap = process.heap();
            long resident = process.resident();
            try (Waiters waiters = new Waiters(url, cluster.adminToken(), count)) {
                process.awaitWaiting(count);
                long heapEach = (process.heap() - heap) / count;
                long residentEach = (process.resident() - resident) / count;
                waiters.abandon(gone);
                process.awaitWaiting(count - gone);
                eventually("their descriptors are back", LIMIT,
                        slowly(() -> process.descriptors() <= descriptors + count - gone + 20));
                long heapLeft = process.heap() - heap;
                waiters.take();
                long revision = publish(process.api);
                Set<Integer> told = new HashSet<>();
                eventually("all are told", LIMIT, () -> {
                    hear(waiters, revision, told, new ArrayList<>());
                    return told.size() == count - gone;
                });
                assertThat(waiters.broken()).isZero();
                LongRun.tell("waiting-polls", String.format(Locale.ROOT,
                        "polls=%d heap each=%d bytes, resident beside the heap each=%d bytes; %d abandoned, heap of each"
                                + " left=%d bytes",
                        count, heapEach, residentEach, gone, heapLeft / (count - gone)));
                assertThat(heapEach).as("bytes of heap of each").isLessThanOrEqualTo(MOST_BYTES_EACH);
                assertThat(heapEach + residentEach).as("bytes of each").isLessThanOrEqualTo(MOST_BYTES_EACH);
                assertThat(heapLeft).as("bytes of heap that are left of %d", count - gone)
                        .isLessThanOrEqualTo((long) MOST_BYTES_EACH * (count - gone));
            }
            process.awaitWaiting(0);
            eventually("all descriptors are back", LIMIT, slowly(() -> process.descriptors() <= descriptors + 20));
            long kept = process.heap() - heap;
            LongRun.tell("waiting-polls-over",
                    String.format(Locale.ROOT, "heap kept of %d polls=%d bytes", count, kept));
            assertThat(kept).as("bytes of heap that stay").isLessThanOrEqualTo(POOLED_BYTES);
        }
    }

    /** In full, 2,000 polls at four processes through nginx, and 100 publishes. */
    @Test
    void publishes_toPollsWaitingThroughTheFront_areHeardOnceByAllWithinASecond() throws Exception {
        int count = Integer.getInteger("bellwether.soak.polls", 2_000);
        int publishes = LongRun.rounds(100);
        List<Long> lags = new ArrayList<>();
        try (LocalCluster cluster = cluster(Integer.getInteger("bellwether.soak.processes", 4), "-Xmx192m");
                Waiters waiters = new Waiters(URI.create(cluster.url() + "/v1/sets/waiting"), cluster.adminToken(),
                        count)) {
            Api api = new Api(cluster);
            List<Api> processes = cluster.describe().processes().stream()
                    .map(process -> new Api(process.url(), cluster.adminToken())).toList();
            awaitWaiting(processes, count);
            waiters.take();
            for (int i = 0; i < publishes; i++) {
                long revision = publish(api);
                Set<Integer> told = new HashSet<>();
                eventually("all are told of revision " + revision, LIMIT, () -> {
                    hear(waiters, revision, told, lags);
                    return told.size() == count;
                });
                awaitWaiting(processes, count);
                hear(waiters, revision, told, lags);
            }
            assertThat(waiters.broken()).isZero();
            assertThat(lags).hasSize(count * publishes);
            lags.sort(null);
            long p99 = lags.get(lags.size() * 99 / 100);
            // The stated spread of a process's share: a hundred each ten milliseconds.
            long spread = count / cluster.processes() / 100 * 10L;
            LongRun.tell("publish-to-answered", String.format(Locale.ROOT,
                    "polls=%d processes=%d publishes=%d answers=%d median=%d ms p99=%d ms max=%d ms (spread %d ms)",
                    count,
                    cluster.processes(), publishes, lags.size(), lags.get(lags.size() / 2), p99, lags.getLast(),
                    spread));
            assertThat(p99).as("99th percentile, ms").isLessThanOrEqualTo(1_000 + spread);
        }
    }

    /** Takes the answers that came: each client hears of the revision once, or that its longest wait is over. */
    private static void hear(Waiters waiters, long revision, Set<Integer> told, List<Long> lags) {
        for (Waiters.Answer answer : waiters.take()) {
            if (answer.status() == 200 && answer.lag() != null) {
                assertThat(answer.revision()).isEqualTo(revision);
                assertThat(told.add(answer.client())).as("client %d is told once", answer.client()).isTrue();
                lags.add(answer.lag().toMillis());
            } else {
                assertThat(answer.status()).isEqualTo(304);
            }
        }
    }

    private static void awaitWaiting(List<Api> processes, int count) throws Exception {
        eventually(count + " wait", LIMIT, slowly(() -> {
            int waiting = 0;
            for (Api process : processes) {
                waiting += (int) process.meter("bellwether_waiting_polls");
            }
            return waiting == count;
        }));
    }

    /** For what costs those something whom it measures. */
    private static Callable<Boolean> slowly(Callable<Boolean> condition) {
        return () -> {
            LongRun.pass(Duration.ofMillis(100));
            return condition.call();
        };
    }

    /** One process, as the operating system and its own meters show it. */
    private record Measured(Api api, long pid) {
        void awaitWaiting(int count) throws Exception {
            WaitingPollsSoak.awaitWaiting(List.of(api), count);
        }

        /** The bytes of live objects. */
        long heap() throws Exception {
            Process collect = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                    Long.toString(pid), "GC.run").redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            assertThat(collect.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(collect.exitValue()).as("jcmd").isZero();
            String all = new String(api.get("/metrics").body(), StandardCharsets.UTF_8);
            return (long) all.lines().filter(line -> line.startsWith("jvm_memory_used_bytes{area=\"heap\""))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1))).sum();
        }

        long descriptors() throws IOException {
            try (Stream<Path> all = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
                return all.count();
            }
        }

        long resident() throws IOException {
            return Files.readAllLines(Path.of("/proc", Long.toString(pid), "status")).stream()
                    .filter(line -> line.startsWith("VmRSS"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10).findFirst().orElseThrow();
        }
    }
}
