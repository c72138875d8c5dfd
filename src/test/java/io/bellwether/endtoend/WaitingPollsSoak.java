package io.bellwether.endtoend;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.bellwether.cluster.LocalCluster;
import io.bellwether.feed.FeedShape;

/** Thousands of waiting polls: what each costs, what is left of those that were abandoned, how soon all hear of a publish. */
class WaitingPollsSoak {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final String NEVER = "0 0 0 29 2 *";

    @SuppressWarnings("NullAway.Init")
    private LocalCluster cluster;
    @SuppressWarnings("NullAway.Init")
    private Api api;
    @SuppressWarnings("NullAway.Init")
    private TestUpstream upstream;

    @BeforeEach
    void set() throws Exception {
        cluster = SharedCluster.get();
        api = new Api(cluster);
        upstream = new TestUpstream(Feeds.of(new FeedShape(300, 5, 0.02, 0)));
        api.put("waiting", upstream.url(), NEVER, true);
        publish();
    }

    @AfterEach
    void stop() {
        upstream.close();
    }

    /** Has the next state published, and returns its revision. */
    private long publish() throws Exception {
        long run = api.runNow("waiting").path("id").asLong();
        eventually("run " + run + " is over", LIMIT, () -> !api.json("/v1/admin/jobs/waiting/runs/" + run)
                .path("revision").isNull());
        return api.json("/v1/admin/jobs/waiting/runs/" + run).path("revision").asLong();
    }

    /** In full, 5,000 polls at one process; 2,000 of them are abandoned. */
    @Test
    void polls_waitingAtOneProcess_costLittleAndLeaveNothing() throws Exception {
        int count = Integer.getInteger("bellwether.soak.polls", 5_000);
        int gone = count * 2 / 5;
        String process = cluster.describe().processes().getFirst().url();
        long pid = cluster.process(1).pid();
        Api own = new Api(process, cluster.adminToken());
        // What is loaded once, and buffers that are pooled for good, are no cost of a poll.
        try (Waiters warm = new Waiters(URI.create(process + "/v1/sets/waiting"), cluster.adminToken(), 200)) {
            awaitWaiting(own, 200);
            assertThat(warm.broken()).isZero();
        }
        awaitWaiting(own, 0);
        long before = heap(own, pid);
        long descriptors = descriptors(pid);
        long resident = resident(pid);
        try (Waiters waiters = new Waiters(URI.create(process + "/v1/sets/waiting"), cluster.adminToken(), count)) {
            awaitWaiting(own, count);
            long heap = (heap(own, pid) - before) / count;
            long all = (resident(pid) - resident) / count;
            waiters.take();
            waiters.abandon(gone);
            awaitWaiting(own, count - gone);
            eventually("their descriptors are back", LIMIT,
                    () -> descriptors(pid) <= descriptors + count - gone + 20);
            long left = (heap(own, pid) - before) / (count - gone);
            waiters.take();
            long revision = publish();
            eventually("all are answered", LIMIT, () -> waiters.size() >= count - gone);
            List<Waiters.Answer> answers = waiters.take();
            assertThat(answers).allMatch(a -> a.status() == 200 && a.revision() == revision);
            assertThat(waiters.broken()).isZero();
            LongRun.tell("waiting-polls", String.format(Locale.ROOT,
                    "polls=%d heap each=%d bytes resident each=%d bytes; %d abandoned, heap of each left=%d bytes",
                    count,
                    heap, all, gone, left));
            assertThat(heap).as("bytes of heap of each").isLessThanOrEqualTo(20 << 10);
            assertThat(left).as("bytes of heap of each that is left").isLessThanOrEqualTo(20 << 10);
        }
        awaitWaiting(own, 0);
        eventually("all descriptors are back", LIMIT, () -> descriptors(pid) <= descriptors + 20);
    }

    /** In full, 2,000 polls at four processes through nginx, and 100 publishes. */
    @Test
    void publishes_toPollsWaitingThroughTheFront_areHeardByAllWithinASecond() throws Exception {
        int count = Integer.getInteger("bellwether.soak.polls", 2_000);
        int publishes = LongRun.rounds(100);
        List<Long> lags = new ArrayList<>();
        try (Waiters waiters = new Waiters(URI.create(cluster.url() + "/v1/sets/waiting"), cluster.adminToken(),
                count)) {
            eventually("all have the head", LIMIT, () -> waiters.size() >= count);
            eventually("all wait", LIMIT, () -> waiting() >= count);
            waiters.take();
            for (int i = 0; i < publishes; i++) {
                long revision = publish();
                Set<Integer> told = new HashSet<>();
                eventually("all are told of revision " + revision, LIMIT, () -> {
                    for (Waiters.Answer answer : waiters.take()) {
                        if (answer.status() == 200 && answer.lag() != null) {
                            assertThat(answer.revision()).isEqualTo(revision);
                            assertThat(told.add(answer.client())).as("told once").isTrue();
                            lags.add(answer.lag().toMillis());
                        } else {
                            // The longest wait is over, and the client asks again.
                            assertThat(answer.status()).isEqualTo(304);
                        }
                    }
                    return told.size() == count;
                });
                eventually("all wait", LIMIT, () -> waiting() >= count);
            }
            assertThat(waiters.broken()).isZero();
        }
        lags.sort(null);
        long p99 = lags.get(lags.size() * 99 / 100);
        LongRun.tell("publish-to-answered", String.format(Locale.ROOT,
                "polls=%d publishes=%d answers=%d median=%d ms p99=%d ms max=%d ms", count, publishes, lags.size(),
                lags.get(lags.size() / 2), p99, lags.getLast()));
        // The stated spread of a process's share: a hundred each ten milliseconds.
        long spread = count / cluster.processes() / 100 * 10L;
        assertThat(p99).as("99th percentile, ms").isLessThanOrEqualTo(1_000 + spread);
    }

    private int waiting() throws Exception {
        int all = 0;
        for (var process : cluster.describe().processes()) {
            all += (int) new Api(process.url(), cluster.adminToken()).meter("bellwether_waiting_polls");
        }
        return all;
    }

    private static void awaitWaiting(Api process, int count) throws Exception {
        eventually(count + " wait", LIMIT, () -> (int) process.meter("bellwether_waiting_polls") == count);
    }

    /** The bytes of live objects. */
    private static long heap(Api process, long pid) throws Exception {
        Process collect = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(pid), "GC.run").redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        assertThat(collect.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(collect.exitValue()).as("jcmd").isZero();
        String all = new String(process.get("/metrics").body(), java.nio.charset.StandardCharsets.UTF_8);
        return (long) all.lines().filter(line -> line.startsWith("jvm_memory_used_bytes{area=\"heap\""))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1))).sum();
    }

    private static long descriptors(long pid) throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
            return all.count();
        }
    }

    private static long resident(long pid) throws IOException {
        return Files.readAllLines(Path.of("/proc", Long.toString(pid), "status")).stream()
                .filter(line -> line.startsWith("VmRSS"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                .findFirst().orElseThrow();
    }
}
