package io.bellwether.http;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LongPollTest {
    private ServingFixture serving;

    @BeforeEach
    void start(@TempDir Path dataDir) throws Exception {
        serving = new ServingFixture(dataDir);
        serving.firewall.publish(Map.of("a", "1"));
        assertThat(serving.get("/v1/sets/firewall").status()).isEqualTo(200);
    }

    @AfterEach
    void stop() throws Exception {
        serving.close();
    }

    private RawHttp poll(String path, String... headers) throws IOException {
        RawHttp http = new RawHttp(serving.server.port());
        http.send("GET " + path + " HTTP/1.1\nHost: x\n" + ServingFixture.EDGE + "\n" + String.join("\n", headers)
                + "\n\n");
        return http;
    }

    private void awaitWaiting(int count) throws Exception {
        eventually(count + " polls wait", Duration.ofSeconds(10), () -> waiting() == count);
    }

    private int waiting() {
        return serving.meters.scrape().lines().filter(l -> l.startsWith("bellwether_waiting_polls ")).findFirst()
                .map(l -> (int) Double.parseDouble(l.substring(l.indexOf(' ')))).orElse(-1);
    }

    @Test
    void poll_nothingNew_waitsItsWholeTimeAndIs304() throws Exception {
        for (String prefer : List.of("wait=1", "respond-async, wait=1", "respond-async; wait = \"1\"; x=2", "Wait=1")) {
            long begun = System.nanoTime();
            RawHttp.Answer answer = serving.get("/v1/sets/firewall",
                    "If-None-Match: W/" + serving.tag(serving.firewall), "Prefer: " + prefer);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).as(prefer).isGreaterThan(Duration.ofMillis(990));
            assertThat(answer.status()).as(prefer).isEqualTo(304);
            assertThat(answer.header("preference-applied")).as(prefer).isEqualTo("wait=1");
            assertThat(answer.header("etag")).as(prefer).isEqualTo(serving.tag(serving.firewall));
            assertThat(answer.header("bellwether-revision")).as(prefer).isEqualTo("1");
        }
    }

    @Test
    void poll_whatIsNewToTheClient_isAnsweredAtOnce() throws Exception {
        long begun = System.nanoTime();
        assertThat(serving.get("/v1/sets/firewall", "Prefer: wait=50").status()).isEqualTo(200);
        assertThat(serving.get("/v1/sets/firewall", "Prefer: wait=50", "If-None-Match: \"x\"").status()).isEqualTo(200);
        assertThat(serving.get("/v1/sets/firewall/changes?since=0", "Prefer: wait=50").status()).isEqualTo(200);
        assertThat(serving.get("/v1/sets/missing", "Prefer: wait=50").status()).isEqualTo(404);
        for (String none : List.of("wait=0", "wait=x", "wait", "respond-async")) {
            assertThat(serving.get("/v1/sets/firewall", "Prefer: " + none,
                    "If-None-Match: " + serving.tag(serving.firewall)).status()).as(none).isEqualTo(304);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
        assertThat(Preferences.wait("wait=999999")).contains(Duration.ofSeconds(50));
    }

    @Test
    void poll_publishElsewhere_isAnsweredWithIt() throws Exception {
        String tag = "If-None-Match: " + serving.tag(serving.firewall);
        try (RawHttp head = poll("/v1/sets/firewall", tag, "Prefer: wait=30");
                RawHttp list = poll("/v1/sets", "If-None-Match: " + serving.get("/v1/sets").header("etag"),
                        "Prefer: wait=30");
                RawHttp changes = poll("/v1/sets/firewall/changes?since=1", "Prefer: wait=30")) {
            awaitWaiting(3);
            serving.other.publish(Map.of("a", "1"));
            serving.get("/v1/sets/firewall");
            assertThat(waiting()).isEqualTo(3);
            serving.firewall.publish(Map.of("a", "2"));
            RawHttp.Answer answer = head.read(false);
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.header("etag")).isEqualTo(serving.tag(serving.firewall));
            assertThat(answer.text()).contains("\"revision\":2");
            assertThat(list.read(false).text()).contains("\"revision\":2");
            assertThat(changes.read(false).text()).contains("{\"op\":\"put\",\"key\":\"a\",\"body\":2}\n",
                    "\"end\":true");
            awaitWaiting(0);
        }
    }

    @Test
    void poll_nextRequestSentTooEarly_isAnsweredAfterIt() throws Exception {
        // The look for clients that went away reads one byte of it; nothing may be lost.
        String tag = "If-None-Match: " + serving.tag(serving.firewall);
        try (RawHttp http = poll("/v1/sets/firewall", tag, "Prefer: wait=10")) {
            awaitWaiting(1);
            http.send("GET /livez HTTP/1.1\nHost: x\n\nGET /readyz HTTP/1.1\nHost: x\n\n");
            assertThat(http.read(false).status()).isEqualTo(304);
            assertThat(http.read(false).text()).contains("alive");
            assertThat(http.read(false).text()).contains("ready");
        }
    }

    @Test
    void poll_tokenRevokedMeanwhile_isRefusedAtOnce() throws Exception {
        // The answer to a wait was given to whoever had been let in when it began.
        try (RawHttp head = poll("/v1/sets/firewall", "If-None-Match: " + serving.tag(serving.firewall),
                "Prefer: wait=30")) {
            awaitWaiting(1);
            serving.revokeEdge();
            long begun = System.nanoTime();
            serving.execute("update instance set heads_version = heads_version + 1,"
                    + " tokens_version = tokens_version + 1");
            RawHttp.Answer answer = head.read(false);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(2));
            assertThat(answer.status()).isEqualTo(401);
            assertThat(answer.headers()).doesNotContainKeys("etag", "preference-applied");
        }
    }

    @Test
    void poll_tokenInvalidAtItsEnd_isRefused() throws Exception {
        try (RawHttp published = poll("/v1/sets/firewall", "If-None-Match: " + serving.tag(serving.firewall),
                "Prefer: wait=30");
                RawHttp over = poll("/v1/sets/firewall", "If-None-Match: " + serving.tag(serving.firewall),
                        "Prefer: wait=4")) {
            awaitWaiting(2);
            // As one that expires: no counter moves.
            serving.revokeEdge();
            assertThat(over.read(false).status()).isEqualTo(401);
            serving.firewall.publish(Map.of("a", "2"));
            assertThat(published.read(false).status()).isEqualTo(401);
        }
    }

    // The mark of the look before the wait stayed on the answer, and it was set once more when the poll was woken by the
    // very look that saw the database again, before that look was over.
    @Test
    void poll_databaseBackMeanwhile_isNotMarkedStale() throws Exception {
        serving.proxy.cut();
        eventually("it is noticed", Duration.ofSeconds(5),
                () -> serving.get("/v1/sets/firewall").headers().containsKey("bellwether-stale"));
        try (RawHttp head = poll("/v1/sets/firewall", "If-None-Match: " + serving.tag(serving.firewall),
                "Prefer: wait=30")) {
            awaitWaiting(1);
            serving.firewall.publish(Map.of("a", "2"));
            serving.proxy.pass();
            RawHttp.Answer answer = head.read(false);
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.text()).contains("\"revision\":2");
            assertThat(answer.headers()).doesNotContainKey("bellwether-stale");
        }
    }

    @Test
    void poll_setDeleted_isNotFound() throws Exception {
        try (RawHttp head = poll("/v1/sets/firewall", "If-None-Match: " + serving.tag(serving.firewall),
                "Prefer: wait=30")) {
            awaitWaiting(1);
            serving.firewall.delete();
            assertThat(head.read(false).status()).isEqualTo(404);
        }
    }

    // The connection that listens is away, so that nobody tells of the publish: a look each second does (agollo#48).
    @Test
    void poll_notificationMissed_isAnsweredWithinTwoSeconds() throws Exception {
        for (int i = 2; i < 6; i++) {
            try (RawHttp head = poll("/v1/sets/firewall", "If-None-Match: " + serving.tag(serving.firewall),
                    "Prefer: wait=30")) {
                awaitWaiting(1);
                serving.execute("select pg_terminate_backend(pid) from pg_stat_activity"
                        + " where application_name = 'bellwether-listen' and datname = current_database()");
                serving.firewall.publish(Map.of("a", Integer.toString(i)));
                long published = System.nanoTime();
                assertThat(head.read(false).text()).contains("\"revision\":" + i);
                assertThat(Duration.ofNanos(System.nanoTime() - published)).isLessThan(Duration.ofSeconds(2));
            }
        }
    }

    @Test
    void publish_toManyPolls_isToldOverAWhileAndNotAtOnce() throws Exception {
        int count = 6 * WaitingPolls.AT_ONCE;
        List<RawHttp> polls = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            polls.add(poll("/v1/sets/firewall", "If-None-Match: " + serving.tag(serving.firewall), "Prefer: wait=50"));
        }
        awaitWaiting(count);
        AtomicLong first = new AtomicLong(Long.MAX_VALUE);
        AtomicLong last = new AtomicLong(Long.MIN_VALUE);
        try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Integer>> answers = new ArrayList<>();
            for (RawHttp poll : polls) {
                answers.add(readers.submit(() -> {
                    int status = poll.read(false).status();
                    first.accumulateAndGet(System.nanoTime(), Math::min);
                    last.accumulateAndGet(System.nanoTime(), Math::max);
                    return status;
                }));
            }
            serving.firewall.publish(Map.of("a", "2"));
            for (Future<Integer> answer : answers) {
                assertThat(answer.get()).isEqualTo(200);
            }
        }
        assertThat(Duration.ofNanos(last.get() - first.get())).isGreaterThan(WaitingPolls.STEP.multipliedBy(4));
        for (RawHttp poll : polls) {
            poll.close();
        }
    }

    @Test
    void drain_manyPolls_areAnsweredAndTheirConnectionsClosed() throws Exception {
        List<RawHttp> polls = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            polls.add(poll("/v1/sets/firewall", "If-None-Match: " + serving.tag(serving.firewall), "Prefer: wait=50"));
        }
        awaitWaiting(300);
        serving.server.drain();
        for (RawHttp poll : polls) {
            RawHttp.Answer answer = poll.read(false);
            assertThat(answer.status()).isEqualTo(304);
            assertThat(answer.header("connection")).isEqualTo("close");
            assertThat(poll.isClosedByServer()).isTrue();
            poll.close();
        }
        RawHttp.Answer late = serving.get("/v1/sets/firewall", "If-None-Match: " + serving.tag(serving.firewall),
                "Prefer: wait=50");
        assertThat(late.status()).isEqualTo(304);
        assertThat(waiting()).isZero();
    }

    @Test
    void abandoned_twoThousandPolls_leakNothing() throws Exception {
        Runtime.getRuntime().gc();
        long before = descriptors();
        List<RawHttp> polls = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            polls.add(poll("/v1/sets/firewall", "If-None-Match: " + serving.tag(serving.firewall), "Prefer: wait=50"));
        }
        awaitWaiting(2_000);
        for (RawHttp poll : polls) {
            poll.close();
        }
        // Long before their waits are over.
        eventually("nobody waits", Duration.ofSeconds(20), () -> waiting() == 0);
        eventually("nothing is under way", Duration.ofSeconds(10), () -> serving.server.requestsUnderWay() == 0);
        eventually("descriptors are back", Duration.ofSeconds(10), () -> descriptors() <= before + 20);
        assertThat(serving.get("/v1/sets/firewall").status()).isEqualTo(200);
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        }
    }
}
