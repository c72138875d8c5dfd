package io.bellwether.endtoend;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.bellwether.cluster.ClusterFile;
import io.bellwether.cluster.LocalCluster;
import io.bellwether.feed.FeedShape;
import io.bellwether.policy.Sha256;

/** Segments and bundles that nginx has kept, of four processes: who gets them, and how often a process is asked. */
class CachedReadsIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration REVOKED_WITHIN = Duration.ofSeconds(10);
    private static final String NEVER = "0 0 0 1 1 *";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http = HttpClient.newHttpClient();
    @SuppressWarnings("NullAway.Init")
    private LocalCluster cluster;
    @SuppressWarnings("NullAway.Init")
    private Api operator;

    @BeforeEach
    void start() throws Exception {
        cluster = SharedCluster.get();
        operator = new Api(cluster);
    }

    @AfterEach
    void stop() {
        http.close();
    }

    @Test
    void segmentsAndBundles_askedAgainAndAgain_areFetchedOnceAndForTheirTokensOnly() throws Exception {
        // The same feed twice: two sets that have all segments in common.
        publish("cached-a");
        publish("cached-b");
        JsonNode tokenA = token("cached-a");
        Api a = new Api(cluster.url(), tokenA.path("token").asText());
        Api b = new Api(cluster.url(), token("cached-b").path("token").asText());
        JsonNode manifest = a.json("/v1/sets/cached-a/manifest");
        assertThat(manifest.path("segments")).isEqualTo(b.json("/v1/sets/cached-b/manifest").path("segments"))
                .hasSizeGreaterThan(4);

        double before = segmentRequests();
        for (int i = 0; i < 3; i++) {
            for (JsonNode segment : manifest.path("segments")) {
                String sha256 = segment.path("sha256").asText();
                HttpResponse<byte[]> answer = a.get("/v1/sets/cached-a/segments/" + sha256);
                assertThat(answer.statusCode()).isEqualTo(200);
                assertThat(Sha256.of(answer.body()).hex()).isEqualTo(sha256);
            }
        }
        assertThat(segmentRequests() - before).isEqualTo(manifest.path("segments").size());

        String sha256 = manifest.path("segments").path(0).path("sha256").asText();
        String bundle = "/v1/sets/cached-a/revisions/1/bundle.ndjson.gz";
        assertThat(a.verifiedLines("cached-a", 1)).isEqualTo(b.verifiedLines("cached-b", 1)).hasSize(3000);
        assertThat(header(a.get(bundle), "Bellwether-Cache")).isEqualTo("HIT");
        for (String path : List.of(bundle, "/v1/sets/cached-a/segments/" + sha256)) {
            assertThat(b.get(path).statusCode()).isEqualTo(403);
            HttpResponse<Void> nobody = http.send(HttpRequest.newBuilder(URI.create(cluster.url() + path)).build(),
                    HttpResponse.BodyHandlers.discarding());
            assertThat(nobody.statusCode()).isEqualTo(401);
        }

        HttpRequest revoke = HttpRequest
                .newBuilder(URI.create(cluster.url() + "/v1/admin/tokens/" + tokenA.path("id").asText()))
                .header("Authorization", "Bearer " + cluster.adminToken()).DELETE().build();
        assertThat(http.send(revoke, HttpResponse.BodyHandlers.discarding()).statusCode()).isBetween(200, 204);
        eventually("the revoked token opens nothing that is cached", REVOKED_WITHIN,
                () -> a.get(bundle).statusCode() == 401
                        && a.get("/v1/sets/cached-a/segments/" + sha256).statusCode() == 401);
        assertThat(header(operator.get(bundle), "Bellwether-Cache")).isEqualTo("HIT");
    }

    @Test
    void bundle_afterANewEpochBegan_isNotThatOfTheOldOne() throws Exception {
        publish("cached-epoch");
        String bundle = "/v1/sets/cached-epoch/revisions/1/bundle.ndjson.gz";
        String before = header(operator.get(bundle), "ETag");
        assertThat(header(operator.get(bundle), "Bellwether-Cache")).isEqualTo("HIT");
        ClusterFile.Postgres postgres = cluster.describe().postgres();
        try (Connection connection = DriverManager.getConnection(postgres.jdbcUrl(), postgres.user(),
                postgres.password()); Statement statement = connection.createStatement()) {
            statement.executeUpdate("update instance set epoch = gen_random_uuid(), heads_version = heads_version + 1");
        }
        String head = header(operator.get("/v1/sets/cached-epoch"), "ETag");
        assertThat(head).endsWith(".r1\"").isNotEqualTo(before);
        eventually("the bundle of the new epoch", REVOKED_WITHIN,
                () -> header(operator.get(bundle), "ETag").equals(head));
        for (int i = 0; i < 20; i++) {
            assertThat(header(operator.get(bundle), "ETag")).isEqualTo(head);
        }
        assertThat(operator.verifiedLines("cached-epoch", 1)).hasSize(3000);
    }

    private void publish(String set) throws Exception {
        try (TestUpstream upstream = new TestUpstream(Feeds.of(new FeedShape(3000, 5, 0.02, 0)))) {
            operator.put(set, upstream.url(), NEVER, true);
            operator.runNow(set);
            eventually("a revision of " + set, LIMIT, () -> operator.get("/v1/sets/" + set).statusCode() == 200);
        }
    }

    private JsonNode token(String set) throws Exception {
        HttpResponse<byte[]> answer = operator.post("/v1/admin/tokens",
                "{\"server\":\"of-" + set + "\",\"sets\":[\"" + set + "\"]}");
        assertThat(answer.statusCode()).isEqualTo(201);
        return JSON.readTree(answer.body());
    }

    /** How many times the processes were asked for a segment. */
    private double segmentRequests() throws Exception {
        double sum = 0;
        for (ClusterFile.ServeProcess process : cluster.describe().processes()) {
            String all = new String(new Api(process.url(), cluster.adminToken()).get("/metrics").body(),
                    StandardCharsets.UTF_8);
            sum += all.lines()
                    .filter(l -> l.startsWith("bellwether_http_server_requests_seconds_count{")
                            && l.contains("/segments/"))
                    .mapToDouble(l -> Double.parseDouble(l.substring(l.lastIndexOf(' ') + 1))).sum();
        }
        return sum;
    }

    private static String header(HttpResponse<?> answer, String name) {
        return answer.headers().firstValue(name).orElse("");
    }
}
