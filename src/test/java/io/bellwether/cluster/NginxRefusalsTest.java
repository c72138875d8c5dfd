package io.bellwether.cluster;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.bellwether.fault.FaultKind;

/** What nginx refuses by itself: always a problem document, and nothing that an honest fleet asks for. */
class NginxRefusalsTest {
    private static final String AGENT = "Bearer agent:a";

    @TempDir
    private Path root;
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    @SuppressWarnings("NullAway.Init")
    private ServingStandIn process;

    @BeforeEach
    void start() throws Exception {
        process = new ServingStandIn();
    }

    @AfterEach
    void stop() {
        process.close();
        http.close();
    }

    private TestFront front(UnaryOperator<String> limits) throws Exception {
        return new TestFront(root, List.of(process.port()), null, Map.of("limits.conf", limits));
    }

    @Test
    void whatIsNoRequest_isAProblemWithAPage() throws Exception {
        String huge = "a".repeat(20_000);
        Map<String, String> requests = Map.of("GET / HTTP/1.1\r\n\r\n", "400 invalid-request",
                "G\u0001T / HTTP/1.1\r\nHost: x\r\n\r\n", "400 invalid-request",
                "POST /v1/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: foo\r\n\r\n", "400 invalid-request",
                "TRACE / HTTP/1.1\r\nHost: x\r\n\r\n", "405 method-not-allowed",
                "PUT /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n", "413 too-large",
                "GET /" + huge + " HTTP/1.1\r\nHost: x\r\n\r\n", "414 too-large",
                "GET / HTTP/1.1\r\nHost: x\r\nX-A: " + huge + "\r\n\r\n", "431 too-large");
        try (TestFront front = front(UnaryOperator.identity())) {
            for (Map.Entry<String, String> one : requests.entrySet()) {
                String answer = RawHttp.exchange(front.port(), one.getKey());
                String[] expected = one.getValue().split(" ", -1);
                assertThat(answer).startsWith("HTTP/1.1 " + expected[0]);
                assertProblem(answer, Integer.parseInt(expected[0]), expected[1]);
            }
        }
        assertThat(process.asked).isEmpty();
    }

    // Some of them were "about:blank", which tells nobody what to do.
    @Test
    void problemsOfTheConfiguration_areOfTypesThatHaveAPage() throws Exception {
        String all = "";
        for (String file : List.of("errors.conf", "cached.conf", "locations.conf", "http.conf", "limits.conf")) {
            all += new String(ClusterDir.resource("/nginx/" + file), StandardCharsets.UTF_8);
        }
        List<MatchResult> problems = Pattern.compile("return ([0-9]+) '(\\{.*})\\\\n'").matcher(all).results().toList();
        assertThat(problems).hasSizeGreaterThan(8).hasSameSizeAs(Pattern.compile("return [0-9]+ '").matcher(all)
                .results().toList());
        for (MatchResult problem : problems) {
            JsonNode json = new ObjectMapper().readTree(problem.group(2));
            assertThat(json.path("status").asText()).isEqualTo(problem.group(1));
            assertThat(json.path("title").asText()).isNotBlank();
            assertThat(json.path("detail").asText()).isNotBlank();
            assertThat(Arrays.stream(FaultKind.values()).map(kind -> "/problems/" + kind.problemType()))
                    .contains(json.path("type").asText());
        }
        for (String status : List.of("404", "500")) {
            assertThat(all).as("a page of nginx itself").containsPattern("error_page " + status + " ");
        }
    }

    @Test
    void conditionThatDoesNotHold_onWhatIsKept_isAProblem() throws Exception {
        try (TestFront front = front(UnaryOperator.identity())) {
            for (String path : List.of("/v1/sets/a/segments/" + "a".repeat(64),
                    "/v1/sets/a/revisions/7/bundle.ndjson.gz")) {
                for (int i = 0; i < 2; i++) {
                    HttpResponse<String> refused = send(request(front, path, AGENT).header("If-Match", "\"other\""));
                    assertThat(refused.statusCode()).isEqualTo(412);
                    assertThat(refused.headers().allValues("ETag")).isEmpty();
                    assertProblem(refused.body(), 412, "precondition-failed");
                }
                HttpResponse<String> whole = send(request(front, path, AGENT).header("If-Match", "*"));
                assertThat(whole.statusCode()).isEqualTo(200);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"rate=2000r/s, burst=4000", "rate=20000r/s, burst=40000"})
    void requests_beyondARate_are429WithRetryAfter(String rate, String burst) throws Exception {
        boolean byToken = rate.equals("rate=2000r/s");
        try (TestFront front = front(limits -> strict(limits).replace(rate, "rate=1r/s")
                .replace(burst + " ", "burst=2 ").replace(burst, "burst=2"))) {
            List<HttpResponse<String>> answers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                // A path that goes through an error_page of its own, which must not count twice.
                answers.add(send(request(front, "/v1/sets/a", AGENT).header("Prefer", "wait=1")));
            }
            assertThat(answers.subList(0, 3)).allMatch(answer -> answer.statusCode() == 200);
            HttpResponse<String> refused = answers.getLast();
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("Retry-After")).contains("1");
            assertThat(refused.headers().firstValue("X-Request-Id")).isPresent();
            assertProblem(refused.body(), 429, "too-many-requests");
            assertThat(send(request(front, "/v1/sets/a", "Bearer other:a")).statusCode())
                    .isEqualTo(byToken ? 200 : 429);
            eventually("it may ask again", Duration.ofSeconds(10),
                    () -> send(request(front, "/v1/sets/a", AGENT)).statusCode() == 200);
        }
    }

    @Test
    void requestsUnderWay_beyondTheirNumber_are429() throws Exception {
        try (TestFront front = front(
                limits -> strict(limits).replace("bellwether_connections 10000;", "bellwether_connections 2;"))) {
            List<CompletableFuture<HttpResponse<String>>> held = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                held.add(http.sendAsync(request(front, "/v1/hold", AGENT).build(),
                        HttpResponse.BodyHandlers.ofString()));
            }
            // Not asked before both are there: what is asked takes one of the places, too.
            eventually("two are under way", Duration.ofSeconds(10),
                    () -> process.holding.get() == 2);
            eventually("one too many", Duration.ofSeconds(10),
                    () -> send(request(front, "/v1/x", AGENT)).statusCode() == 429);
            process.held.countDown();
            for (CompletableFuture<HttpResponse<String>> one : held) {
                assertThat(one.get().statusCode()).isEqualTo(200);
            }
            assertThat(send(request(front, "/v1/x", AGENT)).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void thisMachine_isNotLimited() throws Exception {
        try (TestFront front = front(limits -> limits.replaceAll("rate=[0-9]+r/s", "rate=1r/s")
                .replaceAll("burst=[0-9]+", "burst=1"))) {
            for (int i = 0; i < 8; i++) {
                assertThat(send(request(front, "/v1/sets/a", AGENT)).statusCode()).isEqualTo(200);
            }
        }
    }

    /** As from anywhere else. */
    private static String strict(String limits) {
        return limits.replace("127.0.0.0/8 1;", "");
    }

    private static void assertProblem(String answer, int status, String type) throws Exception {
        JsonNode problem = new ObjectMapper().readTree(answer.substring(answer.indexOf('{')));
        assertThat(problem.path("status").asInt()).isEqualTo(status);
        assertThat(problem.path("type").asText()).isEqualTo("/problems/" + type);
        assertThat(problem.path("title").asText()).isNotBlank();
        assertThat(problem.path("detail").asText()).isNotBlank();
    }

    private static HttpRequest.Builder request(TestFront front, String path, String token) {
        return HttpRequest.newBuilder(URI.create(front.url() + path)).timeout(Duration.ofSeconds(30))
                .header("Authorization", token);
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
