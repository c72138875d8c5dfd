package io.bellwether.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.GZIPInputStream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.bellwether.cluster.LocalCluster;
import io.bellwether.policy.Sha256;

/** The API through nginx, or of one process, as the operator. */
final class Api {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final HttpClient client = HttpClient.newHttpClient();
    private final String url;
    private final String token;
    private final boolean patient;

    Api(LocalCluster cluster) {
        this(cluster.url(), cluster.adminToken());
    }

    Api(String url, String token) {
        this(url, token, false);
    }

    private Api(String url, String token, boolean patient) {
        this.url = url;
        this.token = token;
        this.patient = patient;
    }

    /**
     * The same for a while in which processes die and none may be there: what is answered by 503 is asked again, and so is
     * what can be asked twice and was cut off; {@link #get} apart.
     */
    Api patient() {
        return new Api(url, token, true);
    }

    private <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler)
            throws IOException, InterruptedException {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (true) {
            boolean again = patient && System.nanoTime() - end < 0;
            try {
                HttpResponse<T> answer = client.send(request, handler);
                if (!again || answer.statusCode() != 503) {
                    return answer;
                }
            } catch (IOException e) {
                if (!again || !request.method().equals("GET")) {
                    throw e;
                }
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    HttpResponse<byte[]> get(String path, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = request(path);
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    HttpResponse<byte[]> post(String path, String body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + path)).timeout(LIMIT)
                .header("Authorization", "Bearer " + token).header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)).build();
        return client.send(request, HttpResponse.BodyHandlers.ofByteArray());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url + path)).timeout(LIMIT).header("Authorization",
                "Bearer " + token);
    }

    JsonNode json(String path) throws IOException, InterruptedException {
        HttpResponse<byte[]> answer = send(request(path).GET().build(), HttpResponse.BodyHandlers.ofByteArray());
        assertThat(answer.statusCode()).as(path).isEqualTo(200);
        return JSON.readTree(answer.body());
    }

    /** Declares a set, or changes it. */
    void put(String set, String source, String schedule, boolean enabled) throws IOException, InterruptedException {
        put(set, definition(source, schedule, enabled));
    }

    /** What {@link #put} takes, to be changed by the caller. */
    static ObjectNode definition(String source, String schedule, boolean enabled) {
        ObjectNode json = JSON.createObjectNode().put("schedule", schedule).put("enabled", enabled)
                .put("keepRevisions", 500);
        json.putObject("source").put("url", source);
        return json;
    }

    /** Declares a set, or changes it. */
    void put(String set, ObjectNode definition) throws IOException, InterruptedException {
        String body = definition.toString();
        HttpRequest request = request("/v1/admin/sets/" + set).header("Content-Type", "application/json")
                .PUT(HttpRequest.BodyPublishers.ofString(body)).build();
        HttpResponse<String> answer = send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isIn(200, 201);
    }

    /** Asks for a run now; returns its row. */
    JsonNode runNow(String job) throws IOException, InterruptedException {
        HttpRequest request = request("/v1/admin/jobs/" + job + "/runs").POST(HttpRequest.BodyPublishers.noBody())
                .build();
        HttpResponse<byte[]> answer = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
        assertThat(answer.statusCode()).isEqualTo(202);
        return JSON.readTree(answer.body());
    }

    /** The value of a meter without tags; of one process alone, since nginx does not forward them. */
    double meter(String name) throws IOException, InterruptedException {
        String all = new String(get("/metrics").body(), java.nio.charset.StandardCharsets.UTF_8);
        return all.lines().filter(line -> line.startsWith(name + " ")).findFirst()
                .map(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .orElseThrow(() -> new AssertionError("there is no meter " + name));
    }

    /** The runs of a job, the newest first, at most 1000. */
    List<JsonNode> runs(String job) throws IOException, InterruptedException {
        List<JsonNode> runs = new ArrayList<>();
        json("/v1/admin/jobs/" + job + "/runs?limit=1000").path("runs").forEach(runs::add);
        return runs;
    }

    /** The lines of a revision, taken from its bundle; every hash and sum of its manifest is checked. */
    List<String> verifiedLines(String set, long revision) throws IOException, InterruptedException {
        JsonNode manifest = json("/v1/sets/" + set + "/revisions/" + revision + "/manifest");
        byte[] bundle = send(request("/v1/sets/" + set + "/revisions/" + revision + "/bundle.ndjson.gz").GET().build(),
                HttpResponse.BodyHandlers.ofByteArray()).body();
        assertThat(bundle).hasSize(manifest.path("bytes").intValue());
        MessageDigest content = Sha256.newDigest();
        List<String> lines = new ArrayList<>();
        int offset = 0;
        for (JsonNode segment : manifest.path("segments")) {
            int end = offset + segment.path("bytes").intValue();
            byte[] stored = Arrays.copyOfRange(bundle, offset, end);
            offset = end;
            assertThat(Sha256.of(stored).hex()).isEqualTo(segment.path("sha256").textValue());
            byte[] raw = new GZIPInputStream(new ByteArrayInputStream(stored)).readAllBytes();
            Sha256 rawSha256 = Sha256.of(raw);
            assertThat(rawSha256.hex()).isEqualTo(segment.path("rawSha256").textValue());
            assertThat(raw).hasSize(segment.path("rawBytes").intValue());
            rawSha256.update(content);
            List<String> some = new String(raw, java.nio.charset.StandardCharsets.UTF_8).lines().toList();
            assertThat(some).hasSize(segment.path("policies").intValue());
            lines.addAll(some);
        }
        assertThat(offset).isEqualTo(bundle.length);
        assertThat(Sha256.wrap(content.digest()).hex()).isEqualTo(manifest.path("contentSha256").textValue());
        assertThat(lines).hasSize(manifest.path("policies").intValue());
        return lines;
    }
}
