package io.bellwether.loadtest.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.UUID;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Defines sets and runs their refreshes, through nginx. Thread-safe. */
public final class AdminApi {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration REQUEST_LIMIT = Duration.ofSeconds(30);
    private static final int MOST_AGAIN = 10;
    private static final long AGAIN_MILLIS = 1_000;

    private final Cluster cluster;
    private final Duration limit;
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /**
     * The API of a cluster.
     *
     * @param limit how long a run may take
     */
    public AdminApi(Cluster cluster, Duration limit) {
        this.cluster = cluster;
        this.limit = limit;
    }

    /**
     * What became of a run.
     *
     * @param state as in the ledger
     * @param seconds from its claim to its end, by the database's clock
     * @param upserts policies put
     * @param deletes policies deleted
     */
    public record Run(String state, double seconds, long upserts, long deletes) {}

    /** Defines a set whose schedule does not fire for half a year. */
    public void define(String set, String source) throws IOException, InterruptedException {
        ObjectNode definition = JSON.createObjectNode();
        definition.putObject("source").put("url", source);
        int month = LocalDate.now(ZoneOffset.UTC).plusMonths(6).getMonthValue();
        definition.put("schedule", "0 0 0 1 " + month + " *").put("maxRuntime", limit.toString());
        send("PUT", "/v1/admin/sets/" + set, definition);
    }

    /** The head of a set that was published. */
    public JsonNode head(String set) throws IOException, InterruptedException {
        return send("GET", "/v1/sets/" + set, null);
    }

    /** The manifest of a set's head. */
    public JsonNode manifest(String set) throws IOException, InterruptedException {
        return send("GET", "/v1/sets/" + set + "/manifest", null);
    }

    /** A token of a downstream server that may read a set. */
    public String token(String set) throws IOException, InterruptedException {
        ObjectNode wanted = JSON.createObjectNode().put("server", "benchmark");
        wanted.putArray("sets").add(set);
        return send("POST", "/v1/admin/tokens", wanted).path("token").asText();
    }

    /**
     * Runs a set's refresh now and waits for its end.
     *
     * @param expected the state it must end in
     */
    public Run run(String set, String expected) throws IOException, InterruptedException {
        String runs = "/v1/admin/jobs/" + set + "/runs";
        long id = send("POST", runs, JSON.createObjectNode()).path("id").asLong();
        long end = System.nanoTime() + limit.toNanos();
        while (true) {
            JsonNode run = send("GET", runs + "/" + id, null);
            String state = run.path("state").asText();
            if (!state.equals("queued") && !state.equals("running")) {
                if (!state.equals(expected)) {
                    throw new BenchmarkException(
                            "the refresh of " + set + " ended as " + state + " instead of " + expected
                                    + ": " + run.path("reason").asText());
                }
                return new Run(state, run.path("durationMs").asDouble() / 1000, run.path("upserts").asLong(),
                        run.path("deletes").asLong());
            }
            if (System.nanoTime() - end > 0) {
                throw new BenchmarkException("the refresh of " + set + " took longer than " + limit);
            }
            Thread.sleep(100);
        }
    }

    private JsonNode send(String method, String path, JsonNode body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(cluster.url() + path)).timeout(REQUEST_LIMIT)
                .header("Authorization", "Bearer " + cluster.adminToken()).header("Content-Type", "application/json")
                .header("Idempotency-Key", UUID.randomUUID().toString())
                .method(method, body == null
                        ? HttpRequest.BodyPublishers.noBody()
                        : HttpRequest.BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body)))
                .build();
        HttpResponse<byte[]> response = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
        for (int again = 0; response.statusCode() == 503 && again < MOST_AGAIN; again++) {
            Thread.sleep(AGAIN_MILLIS);
            response = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
        }
        if (response.statusCode() / 100 != 2) {
            throw new BenchmarkException(method + " " + path + " was answered with " + response.statusCode() + ": "
                    + new String(response.body(), java.nio.charset.StandardCharsets.UTF_8));
        }
        return JSON.readTree(response.body());
    }
}
