package io.bellwether.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.bellwether.testing.Eventually;

/** The repository's own nginx configuration, in a real nginx before two stand-ins: each trap that it is written around. */
class NginxRoutesTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path root;
    private static final ScheduledExecutorService TIMER = Executors.newSingleThreadScheduledExecutor();
    private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    @SuppressWarnings("NullAway.Init")
    private static NginxServer nginx;
    @SuppressWarnings("NullAway.Init")
    private static List<Child> children;

    @BeforeAll
    static void start() throws Exception {
        ClusterDir dir = new ClusterDir(root);
        dir.create();
        Ports chosen = new Ports(dir.ports());
        int first = chosen.choose("first", 17101);
        int second = chosen.choose("second", 17101);
        Path cache = UserFolders.cache(System.getenv(), root.resolve("cache"));
        nginx = new NginxServer(dir, new NginxProgram(cache, _ -> {}).find(null), chosen.choose("nginx", 18080),
                null);
        nginx.prepare(List.of(first, second));
        children = List.of(standIn(dir, first), standIn(dir, second),
                child(dir, "nginx", nginx::command, false));
        for (Child child : children) {
            child.start();
        }
        nginx.awaitReady(children.getLast());
        try (ServeProbe probe = new ServeProbe()) {
            List<Integer> ports = List.of(first, second);
            for (int i = 0; i < ports.size(); i++) {
                int port = ports.get(i);
                long pid = children.get(i).pid();
                Eventually.eventually("stand-in on " + port, Duration.ofSeconds(20),
                        () -> probe.readyName(port, pid).isPresent());
            }
        }
    }

    private static Child standIn(ClusterDir dir, int port) {
        return child(dir, "stand-in-" + port, () -> {
            ProcessBuilder builder = new ProcessBuilder(StandInServe.command());
            builder.environment().put("BELLWETHER_PORT", Integer.toString(port));
            return builder;
        }, true);
    }

    private static Child child(ClusterDir dir, String name, Child.CommandSource command, boolean tied) {
        return TestFront.child(dir, name, command, tied, TIMER);
    }

    @AfterAll
    static void stop() throws Exception {
        for (Child child : children) {
            child.stop();
        }
        TIMER.shutdownNow();
        HTTP.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/metrics", "/livez", "/readyz", "/metrics/", "/metrics;a=b", "//metrics", "/%6detrics",
            "/v1/../metrics", "/./readyz", "/internal/access/a", "/%69nternal/access/a", "/.access",
            "/.problem/internal"})
    void processRoutes_throughTheFront_areNotThere(String path) throws Exception {
        assertThat(raw("GET", path)).startsWith("HTTP/1.1 404").contains("application/problem+json",
                "\"type\":\"/problems/not-found\"", "Cache-Control: no-store", "X-Request-Id: ")
                .doesNotContain("Bellwether-Process");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/sets/a/policies/team%2Fx%20y", "/v1/sets/a/policies/a%252Fb",
            "/v1/sets/a//policies/.%2e",
            "/v1/sets/a/changes?since=1&x=%20", "/v1/sets/a/segments/abc"})
    void path_anyEncoding_reachesTheProcessAsItWasSent(String path) throws Exception {
        assertThat(raw("GET", path)).startsWith("HTTP/1.1 200").contains("GET " + path + "\n");
        assertThat(raw("GET", path, "Prefer: wait=5")).startsWith("HTTP/1.1 200").contains("GET " + path + "\n");
    }

    @Test
    void answer_ofAProcess_keepsItsValidatorAndLengthAndIsNotCompressed() throws Exception {
        HttpResponse<String> answer = send(request("/v1/sets/a").header("Accept-Encoding", "gzip"));
        assertThat(answer.headers().firstValue("ETag")).contains("\"e0e0e0e0.r1\"");
        assertThat(answer.headers().firstValue("Content-Encoding")).isEmpty();
        assertThat(answer.headers().firstValue("Content-Length")).isPresent();
        assertThat(answer.headers().allValues("X-Request-Id")).hasSize(1);
    }

    @Test
    void requestId_ofTheCaller_isKeptWhenItIsAPlainWord() throws Exception {
        HttpResponse<String> kept = send(request("/v1/sets/a").header("X-Request-Id", "trace-0123456789"));
        assertThat(kept.headers().firstValue("X-Request-Id")).contains("trace-0123456789");
        assertThat(kept.body()).containsIgnoringCase("x-request-id: trace-0123456789");
        HttpResponse<String> replaced = send(request("/v1/sets/a").header("X-Request-Id", "a\"b c{}"));
        assertThat(replaced.headers().firstValue("X-Request-Id").orElse("")).matches("[0-9a-f]{32}");
    }

    @Test
    void forwardedFor_claimedByTheCaller_isReplaced() throws Exception {
        assertThat(send(request("/v1/x").header("X-Forwarded-For", "10.1.2.3")).body())
                .containsIgnoringCase("x-forwarded-for: 127.0.0.1").doesNotContain("10.1.2.3");
    }

    @Test
    void body_largerThanTheLimit_is413() throws Exception {
        assertThat(
                send(request("/v1/admin/sets/a").PUT(HttpRequest.BodyPublishers.ofByteArray(new byte[(1 << 20) + 1])))
                        .statusCode())
                .isEqualTo(413);
    }

    @Test
    void get_answered503_isAskedOfTheOtherProcessesToo() throws Exception {
        HttpResponse<String> answer = send(request("/v1/sets/a/status/503"));
        assertThat(answer.statusCode()).isEqualTo(503);
        JsonNode line = accessLine(answer);
        assertThat(line.path("upstreamStatus").asText()).isEqualTo("503, 503");
        assertThat(Set.of(line.path("upstream").asText().split(", "))).hasSize(2);
    }

    // A body that ends early was taken for whole (requests#4956, owncloud/client#2528): nothing but the length, or the
    // end of the last chunk, tells.
    @ParameterizedTest
    @ValueSource(strings = {"/v1/sets/x/segments/half/300000", "/v1/sets/x/bundle/half/300000",
            "/v1/sets/x/half/300000", "/v1/sets/x/torn/300000", "/v1/sets/x/changes?/torn/300000"})
    void get_whoseProcessDiesHalfWay_isNotTakenForWhole(String target) throws Exception {
        assertThatThrownBy(() -> send(request(target))).isInstanceOf(IOException.class)
                .isNotInstanceOf(HttpTimeoutException.class);
        awaitBoth();
    }

    @Test
    void post_whoseProcessDies_isNotSentAgainAndTheAnswerSaysSo() throws Exception {
        HttpResponse<String> answer = send(
                request("/v1/admin/jobs/a/die").POST(HttpRequest.BodyPublishers.ofString("{}")));
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.headers().firstValue("Retry-After")).contains("1");
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(accessLine(answer).path("upstreamStatus").asText()).as("one try").isEqualTo("502");
        awaitBoth();
    }

    @Test
    void gets_whileAProcessIsDead_areAllAnsweredByTheOther() throws Exception {
        children.getFirst().stop();
        try {
            for (int i = 0; i < 20; i++) {
                assertThat(send(request("/v1/sets/a")).statusCode()).isEqualTo(200);
                assertThat(send(request("/v1/sets/a").header("Prefer", "wait=5")).statusCode()).isEqualTo(200);
            }
        } finally {
            children.getFirst().start();
            awaitBoth();
        }
    }

    @Test
    void requests_whileAllProcessesAreDead_get503WithRetryAfterAndTheFirstOneAfterItWorks() throws Exception {
        children.getFirst().stop();
        children.get(1).stop();
        try {
            for (String path : List.of("/v1/sets/a", "/v1/sets/a/changes?since=1", "/v1/sets/a/segments/b")) {
                HttpResponse<String> answer = send(request(path));
                assertThat(answer.statusCode()).as(path).isEqualTo(503);
                assertThat(answer.headers().firstValue("Retry-After")).as(path).contains("1");
                assertThat(answer.headers().firstValue("Cache-Control")).as(path).contains("no-store");
                assertThat(answer.body()).as(path).contains("\"type\":\"/problems/unavailable\"", "\"status\":503");
            }
            assertThat(send(request("/v1/sets/a").header("Prefer", "wait=5")).statusCode()).isEqualTo(503);
            assertThat(send(request("/nginx-health")).statusCode()).isEqualTo(200);
        } finally {
            children.getFirst().start();
            children.get(1).start();
            awaitBoth();
        }
    }

    @Test
    void get_whileAProcessIsStopped_isAnsweredByTheOtherAfterSeconds() throws Exception {
        children.getFirst().signal("STOP");
        try {
            for (int i = 0; i < 2; i++) {
                assertThat(send(request("/v1/sets/a")).statusCode()).isEqualTo(200);
            }
        } finally {
            children.getFirst().signal("CONT");
        }
    }

    // The second of two clusters that chose the same port took the first one's answer for its own.
    @Test
    void start_whereAnotherNginxAnswers_isNotReady(@TempDir Path other) throws Exception {
        ClusterDir dir = new ClusterDir(other);
        dir.create();
        Path cache = UserFolders.cache(System.getenv(), root.resolve("cache"));
        NginxServer second = new NginxServer(dir, new NginxProgram(cache, _ -> {}).find(null), nginx.port(), null);
        second.prepare(List.of(1));
        Child child = child(dir, "nginx", second::command, false);
        child.start();
        try {
            assertThatThrownBy(() -> second.awaitReady(child)).isInstanceOf(ClusterException.class)
                    .hasMessageContaining("Address already in use");
        } finally {
            child.stop();
        }
    }

    private static void awaitBoth() throws Exception {
        Set<String> seen = new HashSet<>();
        Eventually.eventually("both processes answer", Duration.ofSeconds(20), () -> {
            send(request("/v1/sets/a")).headers().firstValue("Bellwether-Process").ifPresent(seen::add);
            return seen.size() == 2;
        });
    }

    /** What nginx wrote about a request, by its id. */
    private static JsonNode accessLine(HttpResponse<?> answer) throws Exception {
        return TestFront.accessLine(root, answer.headers().firstValue("X-Request-Id").orElseThrow());
    }

    private static HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + nginx.port() + path))
                .timeout(Duration.ofSeconds(30));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static String raw(String method, String path, String... headers) throws IOException {
        StringBuilder request = new StringBuilder(
                method + " " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n");
        for (String header : headers) {
            request.append(header).append("\r\n");
        }
        return RawHttp.exchange(nginx.port(), request + "\r\n");
    }
}
