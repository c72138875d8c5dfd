package io.bellwether.endtoend;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.bellwether.cluster.ClusterFile;
import io.bellwether.cluster.LocalCluster;
import io.bellwether.feed.FeedShape;

/** All processes restarted one after the other, under polls and waiting polls through nginx. */
class RollingRestartIT {
    private static final int POLLERS = 6;
    private static final int WAITERS = 20;
    private static final Duration LIMIT = Duration.ofSeconds(90);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path empty;

    @Test
    void run_underPollsAndWaits_noRequestFailsAndEveryProcessIsAnother() throws Exception {
        LocalCluster cluster = SharedCluster.get();
        Api api = new Api(cluster);
        try (TestUpstream upstream = new TestUpstream(Feeds.of(new FeedShape(300, 11, 0.02, 0)));
                ExecutorService clients = Executors.newCachedThreadPool()) {
            api.put("rolling", upstream.url(), "*/2 * * * * *", true);
            eventually("a first revision", LIMIT,
                    () -> api.get("/v1/sets/rolling").statusCode() == 200);
            List<Long> pids = pids(cluster);
            AtomicBoolean stop = new AtomicBoolean();
            AtomicInteger answers = new AtomicInteger();
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < POLLERS + WAITERS; i++) {
                String[] wait = i < POLLERS ? new String[0] : new String[]{"Prefer", "wait=5"};
                all.add(clients.submit((Callable<Void>) () -> {
                    poll(api, wait, stop, answers);
                    return null;
                }));
            }
            Said said;
            Said second;
            try {
                Future<Said> first = clients.submit(() -> rollingRestart(cluster.dir()));
                eventually("the first process ends", LIMIT, () -> first.isDone() || !pids(cluster).equals(pids));
                assertThat(first.isDone()).as(() -> "over at once: " + first.resultNow()).isFalse();
                second = rollingRestart(cluster.dir());
                said = first.get();
            } finally {
                stop.set(true);
                api.put("rolling", upstream.url(), "*/2 * * * * *", false);
            }
            for (Future<?> one : all) {
                one.get();
            }
            assertThat(second.status()).as(second.text()).isEqualTo(1);
            assertThat(second.text()).contains("under way");
            assertThat(said.status()).as(said.text()).isZero();
            assertThat(said.text()).contains("restarted " + cluster.processes() + " processes");
            assertThat(pids(cluster)).doesNotContainAnyElementsOf(pids);
            assertThat(answers.get()).isGreaterThan(100);
        }
    }

    private static void poll(Api api, String[] wait, AtomicBoolean stop, AtomicInteger answers) throws Exception {
        String etag = "";
        while (!stop.get()) {
            List<String> headers = new ArrayList<>(List.of(wait));
            if (!etag.isEmpty()) {
                headers.addAll(List.of("If-None-Match", etag));
            }
            HttpResponse<byte[]> answer = api.get("/v1/sets/rolling", headers.toArray(String[]::new));
            assertThat(answer.statusCode()).isIn(200, 304);
            etag = answer.headers().firstValue("ETag").orElseThrow();
            answers.incrementAndGet();
        }
    }

    private static List<Long> pids(LocalCluster cluster) {
        return cluster.describe().processes().stream().map(ClusterFile.ServeProcess::pid).toList();
    }

    @Test
    void run_whereNothingRuns_isRefusedWithWhatToDo() throws Exception {
        Said nothing = rollingRestart(empty);
        assertThat(nothing.status()).isEqualTo(1);
        assertThat(nothing.text()).contains("no cluster runs in " + empty, "bellwether up --dir");
        Files.copy(SharedCluster.get().clusterFile(), empty.resolve("cluster.json"));
        Files.createFile(empty.resolve("up.lock"));
        Said leftOver = rollingRestart(empty);
        assertThat(leftOver.status()).isEqualTo(1);
        assertThat(leftOver.text()).contains("left over");
    }

    private record Said(int status, String text) {}

    /** The command as a person gives it. */
    private static Said rollingRestart(Path dir) throws Exception {
        Process process = new ProcessBuilder("target/bellwether/bin/bellwether", "rolling-restart", "--dir",
                dir.toString()).redirectErrorStream(true).start();
        try {
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            return new Said(process.exitValue(), text);
        } finally {
            process.destroyForcibly();
        }
    }
}
