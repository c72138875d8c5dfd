package io.bellwether.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long nginx waits for a process, what it passes on meanwhile, and over how many connections. */
class NginxPatienceTest {
    /** As README and description of the API have it. */
    private static final int LONGEST_WAIT_SECONDS = 50;
    private static final String TOKEN = "Bearer edge:a";
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @TempDir
    private Path root;
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    @SuppressWarnings("NullAway.Init")
    private List<ServingStandIn> processes;

    @BeforeEach
    void start() throws Exception {
        processes = List.of(new ServingStandIn(), new ServingStandIn());
    }

    @AfterEach
    void stop() {
        processes.forEach(ServingStandIn::close);
        http.close();
    }

    private TestFront front(Map<String, UnaryOperator<String>> edits) throws Exception {
        return new TestFront(root, processes.stream().map(ServingStandIn::port).toList(), null, edits);
    }

    @Test
    void patience_withAPoll_isLongerThanTheLongestWait() throws Exception {
        String locations = new String(ClusterDir.resource("/nginx/locations.conf"), StandardCharsets.UTF_8);
        for (String name : List.of("@patient", "@again")) {
            Matcher location = Pattern.compile("location " + name
                    + " \\{.*?proxy_read_timeout ([0-9]+)s;\\s+proxy_next_upstream_timeout ([0-9]+)s;", Pattern.DOTALL)
                    .matcher(locations);
            assertThat(location.find()).as(name).isTrue();
            assertThat(Integer.parseInt(location.group(1))).as(name).isGreaterThan(LONGEST_WAIT_SECONDS + 10);
            // Or a poll that outlived it would be begun again elsewhere.
            assertThat(Integer.parseInt(location.group(2))).as(name).isLessThan(LONGEST_WAIT_SECONDS);
        }
    }

    // With nginx's defaults a poll that outlived the proxy's patience was sent to the next process as well, both were
    // taken for dead, and everybody got 502 for ten seconds (api-umbrella#18).
    @Test
    void poll_longerThanThePatience_isAskedOnceAndHarmsNobody() throws Exception {
        try (TestFront front = front(
                Map.of("locations.conf", text -> text.replace("proxy_read_timeout 75s", "proxy_read_timeout 2s")
                        .replace("proxy_next_upstream_timeout 10s", "proxy_next_upstream_timeout 1s")))) {
            HttpResponse<String> over = send(request(front, "/v1/hold").header("Prefer", "wait=50"));
            assertThat(over.statusCode()).isEqualTo(503);
            assertThat(over.headers().firstValue("Retry-After")).contains("1");
            assertThat(over.body()).contains("/problems/unavailable");
            assertThat(processes.stream().mapToInt(p -> p.holding.get()).sum()).as("how many were asked").isEqualTo(1);
            for (int i = 0; i < 20; i++) {
                assertThat(send(request(front, "/v1/sets/a")).statusCode()).isEqualTo(200);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/sets/a/changes?since=1&/slowly", "/v1/slowly"})
    void feed_thatIsWrittenSlowly_isPassedOnAsItComes(String path) throws Exception {
        try (TestFront front = front(Map.of())) {
            HttpRequest.Builder request = request(front, path);
            if (!path.contains("changes")) {
                request.header("Prefer", "wait=50");
            }
            HttpResponse<InputStream> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            try (BufferedReader lines = new BufferedReader(
                    new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
                assertThat(lines.readLine()).as("while the process still writes").isEqualTo("first");
                processes.forEach(p -> p.held.countDown());
                assertThat(lines.readLine()).isEqualTo("last");
            }
        }
    }

    // By default nginx lets whoever waits for another's fetch go on his own after five seconds.
    @Test
    void segment_thatIsFetchedForLong_isFetchedOnceAllTheSame() throws Exception {
        String path = "/v1/sets/a/segments/" + "c".repeat(64);
        processes.forEach(p -> p.delay = Duration.ofSeconds(8));
        try (TestFront front = front(Map.of())) {
            List<CompletableFuture<HttpResponse<byte[]>>> all = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                all.add(http.sendAsync(request(front, path).build(), HttpResponse.BodyHandlers.ofByteArray()));
            }
            for (CompletableFuture<HttpResponse<byte[]>> one : all) {
                assertThat(one.get().statusCode()).isEqualTo(200);
                assertThat(one.get().body()).isEqualTo(ServingStandIn.segment("c".repeat(64)));
            }
            assertThat(processes.stream().mapToInt(p -> p.asked.size()).sum()).as("fetches").isEqualTo(1);
        }
    }

    // A range of what is not kept yet was answered with all of it, unless the process says that it takes ranges.
    @Test
    void segment_askedInPartsBeforeItIsKept_isThatPart() throws Exception {
        String sha256 = "d".repeat(64);
        try (TestFront front = front(Map.of())) {
            HttpResponse<byte[]> part = http.send(
                    request(front, "/v1/sets/a/segments/" + sha256).header("Range", "bytes=100-199").build(),
                    HttpResponse.BodyHandlers.ofByteArray());
            assertThat(part.statusCode()).isEqualTo(206);
            assertThat(part.headers().firstValue("Bellwether-Cache")).contains("MISS");
            assertThat(part.body()).isEqualTo(Arrays.copyOfRange(ServingStandIn.segment(sha256), 100, 200));
        }
    }

    @Test
    void requests_oneAfterTheOther_shareTheirConnectionsToTheProcesses() throws Exception {
        try (TestFront front = front(Map.of())) {
            for (int i = 0; i < 100; i++) {
                assertThat(send(request(front, "/v1/sets/a")).statusCode()).isEqualTo(200);
                assertThat(send(request(front, "/v1/sets/a").header("Prefer", "wait=1")).statusCode()).isEqualTo(200);
            }
            Set<Integer> connections = new HashSet<>();
            processes.forEach(p -> connections.addAll(p.connections));
            // At most a few for each of nginx's workers.
            assertThat(connections.size()).isLessThan(40);
        }
    }

    // A location that sets one field of its own inherits none of the others.
    @Test
    void whatAProcessIsTold_isTheSameFromEveryLocation() throws Exception {
        List<String> paths = List.of("/v1/sets/a", "/v1/sets/a/changes?since=1",
                "/v1/sets/a/segments/" + "e".repeat(64), "/v1/sets/a/revisions/7/bundle.ndjson.gz",
                "/v1/sets/a/segments/x");
        try (TestFront front = front(Map.of())) {
            for (String path : paths) {
                for (String prefer : List.of("respond-async", "wait=1")) {
                    HttpResponse<String> answer = send(request(front, path).header("Prefer", prefer)
                            .header("X-Request-Id", "trace-" + path.length() + "-" + prefer.length())
                            .header("X-Forwarded-For", "10.1.2.3"));
                    assertThat(answer.statusCode()).as(path).isEqualTo(200);
                }
            }
            Set<String> told = new HashSet<>();
            processes.forEach(p -> told.addAll(p.told));
            assertThat(told).allMatch(one -> one.matches("/\\S+ trace-[0-9]+-[0-9]+ 127\\.0\\.0\\.1 http 127.*"));
            for (String path : List.of("/internal/access/a", "/v1/sets/a/segments/" + "e".repeat(64),
                    "/v1/sets/a/revisions/7/bundle.ndjson.gz", "/v1/sets/a/segments/x", "/v1/sets/a/changes")) {
                assertThat(told).as(path).anyMatch(one -> one.startsWith(path + " "));
            }
        }
    }

    // nginx's own compression makes tags weak and takes the length away; a client whose tag no longer fits fetches
    // everything at each poll (opa#3361, ingress-nginx#1390).
    @Test
    void compression_switchedOnByMistake_leavesPollsUnchanged() throws Exception {
        try (TestFront front = front(Map.of("http.conf", text -> text.replaceFirst("gzip +off;",
                "gzip on; gzip_types *; gzip_proxied any; gzip_min_length 1;")))) {
            for (String path : List.of("/v1/sets/a", "/v1/sets/a/segments/" + "f".repeat(64),
                    "/v1/sets/a/revisions/7/bundle.ndjson.gz")) {
                HttpResponse<String> first = send(request(front, path).header("Accept-Encoding", "gzip"));
                assertThat(first.headers().firstValue("Content-Encoding")).as(path).contains("gzip");
                String tag = first.headers().firstValue("ETag").orElseThrow();
                assertThat(tag).startsWith("W/");
                HttpResponse<String> same = send(
                        request(front, path).header("Accept-Encoding", "gzip").header("If-None-Match", tag));
                assertThat(same.statusCode()).as(path).isEqualTo(304);
                assertThat(same.headers().firstValue("ETag").orElseThrow()).endsWith(tag.substring(2));
            }
        }
    }

    private static HttpRequest.Builder request(TestFront front, String path) {
        return HttpRequest.newBuilder(URI.create(front.url() + path)).timeout(LIMIT).header("Authorization", TOKEN);
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.ISO_8859_1));
    }
}
