package io.bellwether.http;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.eclipse.jetty.http.HttpField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.fleet.Grant;
import io.bellwether.settings.Settings;
import io.bellwether.telemetry.Meters;

class HttpServerTest {
    private static final String ADMIN = "Authorization: Bearer admin-secret";
    private static final String EDGE = "Authorization: Bearer bw_edge";

    private final CountDownLatch slowBegan = new CountDownLatch(1);
    private final CountDownLatch slowMayEnd = new CountDownLatch(1);
    private final CompletableFuture<String> event = new CompletableFuture<>();
    private final Meters meters = new Meters();
    private HttpServer server;

    @BeforeEach
    void start() throws Exception {
        server = newServer(0);
        server.start();
    }

    @AfterEach
    void stop() {
        slowMayEnd.countDown();
        server.stop(Duration.ZERO);
        meters.close();
    }

    private HttpServer newServer(int port) {
        Grant edge = new Grant("1", "edge-01", List.of("firewall", "geo-*"), Instant.EPOCH, null, null);
        Authenticator.Grants grants = token -> token.equals("bw_edge") ? Optional.of(edge) : Optional.empty();
        Authenticator authenticator = new Authenticator(new Settings.Secret("admin-secret"), grants, grants);
        return new HttpServer("127.0.0.1", port, List.of(this::routes), authenticator, meters, "test-1-abcd");
    }

    private void routes(Routes routes) {
        routes.get("/open", Access.OPEN, exchange -> exchange.json(200, Json.object().put("a", 1)));
        routes.get("/sets/{set}/keys/{key}", Access.SET,
                exchange -> exchange.json(200, Json.object().put("key", exchange.path("key"))));
        routes.get("/token", Access.TOKEN, exchange -> exchange.json(200, Json.object()));
        routes.get("/admin", Access.ADMIN, exchange -> exchange.json(200, Json.object()));
        routes.post("/echo", Access.OPEN, exchange -> exchange.json(201, exchange.body()));
        routes.get("/bug", Access.OPEN, exchange -> {
            throw new IllegalStateException("secret text");
        });
        routes.get("/error", Access.OPEN, exchange -> {
            throw new StackOverflowError();
        });
        routes.get("/away", Access.OPEN, exchange -> {
            throw new SQLTransientConnectionException("no connection");
        });
        routes.get("/gone", Access.OPEN, exchange -> {
            exchange.set("ETag", "\"x\"");
            throw new Fault(FaultKind.REVISION_GONE, "revision 3 is gone");
        });
        routes.get("/slow", Access.OPEN, exchange -> {
            slowBegan.countDown();
            slowMayEnd.await(20, TimeUnit.SECONDS);
            exchange.json(200, Json.object());
        });
        routes.get("/wait", Access.OPEN,
                exchange -> exchange.later(event.thenApply(rang -> false),
                        e -> e.json(200, Json.object().put("event", event.join()))));
        routes.get("/quick/{set}", Access.SET, exchange -> exchange.json(200, Json.object().put("by", "router")),
                HttpServerTest::answerQuickly);
        routes.get("/cut", Access.OPEN, exchange -> {
            OutputStream out = exchange.stream(200, "text/plain", -1);
            if (out != null) {
                out.write("half".getBytes(StandardCharsets.UTF_8));
                out.flush();
                throw new IOException("source broke");
            }
        });
    }

    private static void answerQuickly(QuickExchange exchange) {
        switch (exchange.header("X-How")) {
            case "decline" -> exchange.decline();
            case "declineLater" -> Thread.startVirtualThread(exchange::decline);
            case "throw" -> throw new StackOverflowError();
            case "throwLater" -> Thread.startVirtualThread(() -> exchange.attempt(() -> {
                throw new Fault(FaultKind.NOT_FOUND, "told by nobody");
            }));
            case "later" -> Thread.startVirtualThread(() -> exchange.answer(304, List.of()));
            case null, default -> exchange.answer(200, List.of(new HttpField("Content-Length", "4")),
                    exchange.parameter().getBytes(StandardCharsets.UTF_8));
        }
    }

    private RawHttp.Answer ask(String method, String target, String... headers) throws IOException {
        try (RawHttp http = new RawHttp(server.port())) {
            return http.ask(method, target, headers);
        }
    }

    @Test
    void answer_ordinary_hasNoServerHeaderAndNamesTheProcess() throws Exception {
        RawHttp.Answer answer = ask("GET", "/open", "Accept-Encoding: gzip, br");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text()).isEqualTo("{\"a\":1}");
        assertThat(answer.header("content-length")).isEqualTo("7");
        assertThat(answer.headers()).doesNotContainKeys("server", "x-powered-by", "content-encoding", "etag", "vary");
        assertThat(answer.header("bellwether-process")).isEqualTo("test-1-abcd");
    }

    @Test
    void head_ofAnyGet_repeatsItsHeadersWithoutABody() throws Exception {
        try (RawHttp http = new RawHttp(server.port())) {
            RawHttp.Answer head = http.ask("HEAD", "/open");
            RawHttp.Answer get = http.ask("GET", "/open");
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.header("content-length")).isEqualTo("7");
            assertThat(get.text()).isEqualTo("{\"a\":1}");
        }
    }

    @Test
    void unknownPath_anyMethod_isAProblem() throws Exception {
        for (String method : List.of("GET", "HEAD", "POST", "DELETE", "PROPFIND")) {
            RawHttp.Answer answer = ask(method, "/nothing/here");
            assertThat(answer.status()).as(method).isEqualTo(404);
            assertThat(answer.header("content-type")).as(method).isEqualTo("application/problem+json");
        }
        assertThat(ask("GET", "/nothing").text())
                .contains("\"type\":\"/problems/not-found\"", "\"title\":\"Not found\"", "\"status\":404");
    }

    @Test
    void knownPath_otherMethod_is405WithAllow() throws Exception {
        RawHttp.Answer answer = ask("DELETE", "/open");
        assertThat(answer.status()).isEqualTo(405);
        assertThat(answer.header("allow").split(", ")).containsExactlyInAnyOrder("GET", "HEAD");
        assertThat(answer.text()).contains("/problems/method-not-allowed");
        assertThat(ask("GET", "/echo").header("allow")).isEqualTo("POST");
    }

    @Test
    void token_missingOrWrongOrOfAnotherSet_isRefused() throws Exception {
        assertThat(ask("GET", "/token").status()).isEqualTo(401);
        assertThat(ask("GET", "/token").header("www-authenticate")).startsWith("Bearer");
        assertThat(ask("GET", "/token", "Authorization: Basic abc").status()).isEqualTo(401);
        assertThat(ask("GET", "/token", "Authorization: Bearer nonsense").status()).isEqualTo(401);
        assertThat(ask("GET", "/token", "Authorization: Bearer").status()).isEqualTo(401);
        assertThat(ask("GET", "/token", EDGE).status()).isEqualTo(200);
        assertThat(ask("GET", "/token", "authorization: bearer bw_edge").status()).isEqualTo(200);
        assertThat(ask("GET", "/admin", EDGE).status()).isEqualTo(403);
        assertThat(ask("GET", "/admin", ADMIN).status()).isEqualTo(200);
        assertThat(ask("GET", "/sets/firewall/keys/a", EDGE).status()).isEqualTo(200);
        assertThat(ask("GET", "/sets/geo-eu/keys/a", EDGE).status()).isEqualTo(200);
        assertThat(ask("GET", "/sets/geo/keys/a", EDGE).status()).isEqualTo(403);
        assertThat(ask("GET", "/sets/secret/keys/a", EDGE).status()).isEqualTo(403);
        assertThat(ask("GET", "/sets/secret/keys/a", ADMIN).status()).isEqualTo(200);
    }

    @Test
    void key_encodedInAnyWay_isDecodedStrictly() throws Exception {
        assertThat(ask("GET", "/sets/x/keys/a%2Fb%2f%2Fc", ADMIN).text()).isEqualTo("{\"key\":\"a/b//c\"}");
        assertThat(ask("GET", "/sets/x/keys/%C4%B0+%20;v=1%25", ADMIN).text()).isEqualTo("{\"key\":\"İ+ ;v=1%\"}");
        assertThat(ask("GET", "/sets/x/keys/a%2e%2Fb", ADMIN).text()).isEqualTo("{\"key\":\"a./b\"}");
        assertThat(ask("GET", "/sets/x/keys/%F0%9F%90%91", ADMIN).text()).isEqualTo("{\"key\":\"🐑\"}");
        for (String bad : List.of("%ff", "%C4", "%zz", "a%2", "%ED%A0%80")) {
            RawHttp.Answer answer = ask("GET", "/sets/x/keys/" + bad, ADMIN);
            assertThat(answer.status()).as(bad).isEqualTo(400);
            assertThat(answer.header("content-type")).as(bad).isEqualTo("application/problem+json");
        }
    }

    @Test
    void handler_throwsAnything_isAProblemThatTellsNoSecret() throws Exception {
        RawHttp.Answer bug = ask("GET", "/bug");
        assertThat(bug.status()).isEqualTo(500);
        assertThat(bug.text()).contains("/problems/internal").doesNotContain("secret text");
        assertThat(ask("GET", "/error").status()).isEqualTo(500);
        RawHttp.Answer away = ask("GET", "/away");
        assertThat(away.status()).isEqualTo(503);
        assertThat(away.header("retry-after")).isEqualTo("2");
        RawHttp.Answer gone = ask("GET", "/gone");
        assertThat(gone.status()).isEqualTo(410);
        assertThat(gone.headers()).doesNotContainKey("etag");
        assertThat(gone.header("cache-control")).isEqualTo("no-store");
        assertThat(ask("HEAD", "/gone").status()).isEqualTo(410);
    }

    @Test
    void body_notJsonOrTooLarge_isRefused() throws Exception {
        assertThat(post("{\"a\": [1, 2]}").text()).isEqualTo("{\"a\":[1,2]}");
        assertThat(post("{\"a\": ").status()).isEqualTo(400);
        assertThat(post("{} {}").status()).isEqualTo(400);
        assertThat(post("{\"a\":1,\"a\":2}").text()).contains("invalid-request");
        assertThat(post("").status()).isEqualTo(400);
        assertThat(post("[" + " ".repeat(1 << 20) + "]").status()).isEqualTo(413);
    }

    private RawHttp.Answer post(String body) throws IOException {
        try (RawHttp http = new RawHttp(server.port())) {
            http.send("POST /echo HTTP/1.1\nHost: x\nContent-Length: " + body.length() + "\n\n");
            http.send(body);
            return http.read(false);
        }
    }

    @Test
    void request_notHttp_isAProblemToo() throws Exception {
        assertProblem(400, "NONSENSE\n\n");
        assertProblem(400, "GET /open HTTP/1.1\n\n");
        assertProblem(431, "GET /open HTTP/1.1\nHost: x\nX: " + "y".repeat(20_000) + "\n\n");
        assertProblem(414, "GET /" + "y".repeat(20_000) + " HTTP/1.1\nHost: x\n\n");
    }

    private void assertProblem(int status, String request) throws IOException {
        try (RawHttp http = new RawHttp(server.port())) {
            http.send(request);
            RawHttp.Answer answer = http.read(false);
            assertThat(answer.status()).isEqualTo(status);
            assertThat(answer.header("content-type")).isEqualTo("application/problem+json");
            assertThat(answer.text()).contains("\"type\":\"/problems/");
        }
    }

    @Test
    void answer_brokenOffHalfWay_isNotTakenForWhole() throws Exception {
        for (int i = 0; i < 20; i++) {
            try (RawHttp http = new RawHttp(server.port())) {
                assertThatThrownBy(() -> http.ask("GET", "/cut")).isNotInstanceOf(SocketTimeoutException.class);
            }
        }
        assertThat(ask("GET", "/open").status()).isEqualTo(200);
    }

    @Test
    void waiting_untilTheEvent_holdsNoAnswerBack() throws Exception {
        try (RawHttp http = new RawHttp(server.port())) {
            http.send("GET /wait HTTP/1.1\nHost: x\n\n");
            eventually("it waits", Duration.ofSeconds(5),
                    () -> server.requestsUnderWay() == 1);
            event.complete("rang");
            assertThat(http.read(false).text()).isEqualTo("{\"event\":\"rang\"}");
            assertThat(http.ask("GET", "/open").status()).isEqualTo(200);
        }
        eventually("nothing is under way", Duration.ofSeconds(5),
                () -> server.requestsUnderWay() == 0);
    }

    @Test
    void stop_requestsUnderWay_areAnsweredWhole() throws Exception {
        server.onDrain(() -> event.complete("drained"));
        try (RawHttp slow = new RawHttp(server.port());
                RawHttp waiting = new RawHttp(server.port());
                RawHttp kept = new RawHttp(server.port())) {
            assertThat(kept.ask("GET", "/open").header("connection")).isEqualTo("(none)");
            slow.send("GET /slow HTTP/1.1\nHost: x\n\n");
            waiting.send("GET /wait HTTP/1.1\nHost: x\n\n");
            assertThat(slowBegan.await(10, TimeUnit.SECONDS)).isTrue();
            eventually("both are under way", Duration.ofSeconds(5),
                    () -> server.requestsUnderWay() == 2);
            int port = server.port();
            Thread stopping = Thread.ofPlatform().start(() -> server.stop(Duration.ofSeconds(20)));
            RawHttp.Answer drained = waiting.read(false);
            assertThat(drained.text()).isEqualTo("{\"event\":\"drained\"}");
            assertThat(drained.header("connection")).isEqualTo("close");
            // The listener is closed, but a connection that was open still gets its answer.
            RawHttp.Answer late = kept.ask("GET", "/open");
            assertThat(late.status()).isEqualTo(200);
            assertThat(late.header("connection")).isEqualTo("close");
            eventually("the listener is closed", Duration.ofSeconds(5), () -> {
                try (RawHttp another = new RawHttp(port)) {
                    // One that was taken just before is kept like any other.
                    another.ask("GET", "/open");
                    return false;
                } catch (IOException e) {
                    return true;
                }
            });
            assertThat(stopping.isAlive()).isTrue();
            slowMayEnd.countDown();
            RawHttp.Answer whole = slow.read(false);
            assertThat(whole.status()).isEqualTo(200);
            assertThat(whole.header("connection")).isEqualTo("close");
            assertThat(stopping.join(Duration.ofSeconds(10))).isTrue();
        }
    }

    @Test
    void quick_plainRequestOfAKnownCaller_isAnsweredAheadOfTheRouter() throws Exception {
        try (RawHttp http = new RawHttp(server.port())) {
            RawHttp.Answer get = http.ask("GET", "/quick/geo-", EDGE);
            assertThat(get.status()).isEqualTo(200);
            assertThat(get.text()).isEqualTo("geo-");
            assertThat(get.header("bellwether-process")).isEqualTo("test-1-abcd");
            assertThat(get.headers()).containsKey("date").doesNotContainKeys("server", "content-type", "connection");
            RawHttp.Answer head = http.ask("HEAD", "/quick/geo-", EDGE);
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.header("content-length")).isEqualTo("4");
            RawHttp.Answer later = http.ask("GET", "/quick/geo-", EDGE, "X-How: later");
            assertThat(later.status()).isEqualTo(304);
            assertThat(later.headers()).doesNotContainKeys("content-type", "content-length");
            assertThat(http.ask("GET", "/quick/geo-", ADMIN).text()).isEqualTo("geo-");
            server.drain();
            assertThat(http.ask("GET", "/quick/geo-", EDGE).header("connection")).isEqualTo("close");
            assertThat(http.isClosedByServer()).isTrue();
        }
        eventually("all are counted", Duration.ofSeconds(5), () -> meters.scrape().contains(
                "bellwether_http_server_requests_seconds_count{route=\"/quick/{set}\",status=\"200\"} 4"));
        eventually("nothing is under way", Duration.ofSeconds(5), () -> server.requestsUnderWay() == 0);
    }

    @Test
    void quick_anythingElse_isLeftToTheRouter() throws Exception {
        for (String how : List.of("decline", "declineLater", "throw", "throwLater")) {
            assertThat(ask("GET", "/quick/geo-", EDGE, "X-How: " + how).text()).as(how).contains("router");
        }
        for (String path : List.of("/quick/geo-?x=1", "/quick/geo%2D", "/quick/GEO", "/quick/geo-;x")) {
            assertThat(ask("GET", path, ADMIN).text()).as(path).doesNotContain("geo-");
        }
        assertThat(ask("GET", "/quick/geo-").status()).isEqualTo(401);
        assertThat(ask("GET", "/quick/geo-", "Authorization: Bearer x").status()).isEqualTo(401);
        assertThat(ask("GET", "/quick/geo-", EDGE, "Authorization: Bearer x").status()).isEqualTo(401);
        assertThat(ask("GET", "/quick/secret", EDGE).status()).isEqualTo(403);
        assertThat(ask("GET", "/quick/", ADMIN).status()).isEqualTo(404);
        assertThat(ask("GET", "/quick/geo-/x", ADMIN).status()).isEqualTo(404);
        assertThat(ask("DELETE", "/quick/geo-", ADMIN).status()).isEqualTo(405);
        assertThat(ask("GET", "/quick/geo-", EDGE, "Content-Length: 0").text()).contains("router");
    }

    @Test
    void start_portTaken_saysWhich() {
        HttpServer second = newServer(server.port());
        assertThatThrownBy(second::start).isInstanceOf(IOException.class)
                .hasMessageContaining("127.0.0.1:" + server.port());
        second.stop(Duration.ZERO);
    }

    @Test
    void meters_requests_areCountedByRoutePattern() throws Exception {
        ask("GET", "/sets/x/keys/a%2Fb", ADMIN);
        ask("GET", "/nothing/at/all");
        eventually("both are counted", Duration.ofSeconds(5),
                () -> meters.scrape().contains("route=\"unmatched\",status=\"404\""));
        assertThat(meters.scrape())
                .contains(
                        "bellwether_http_server_requests_seconds_count{route=\"/sets/{set}/keys/{key}\",status=\"200\"} 1");
    }
}
