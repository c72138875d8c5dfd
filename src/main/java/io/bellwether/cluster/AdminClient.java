package io.bellwether.cluster;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;

/** Asks the cluster through its front, with a token. Thread-safe. */
final class AdminClient implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(15);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final String url;
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(2)).build();

    AdminClient(String url) {
        this.url = url;
    }

    /**
     * What came back.
     *
     * @param status of HTTP
     * @param body parsed; missing when it is empty or no JSON
     */
    record Answer(int status, JsonNode body) {
        boolean ok() {
            return status / 100 == 2;
        }

        /** A problem's own words, for a message. */
        String problem() {
            String detail = body.path("detail").asText(body.path("title").asText(""));
            return detail.isEmpty() ? "HTTP status " + status : detail;
        }
    }

    Answer get(String token, String path) throws IOException, InterruptedException {
        return send(request(token, path).GET().build());
    }

    Answer put(String token, String path, Object json) throws IOException, InterruptedException {
        return send(request(token, path).PUT(body(json)).build());
    }

    Answer post(String token, String path, Object json) throws IOException, InterruptedException {
        return send(request(token, path).POST(body(json)).build());
    }

    private HttpRequest.Builder request(String token, String path) {
        return HttpRequest.newBuilder(URI.create(url + path)).timeout(LIMIT)
                .header("Authorization", "Bearer " + token).header("Content-Type", "application/json");
    }

    private static HttpRequest.BodyPublisher body(Object json) throws IOException {
        return HttpRequest.BodyPublishers.ofByteArray(JSON.writeValueAsBytes(json));
    }

    private Answer send(HttpRequest request) throws IOException, InterruptedException {
        HttpResponse<byte[]> response = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
        JsonNode body = MissingNode.getInstance();
        if (response.body().length > 0 && response.headers().firstValue("Content-Type").orElse("").contains("json")) {
            body = JSON.readTree(response.body());
        }
        return new Answer(response.statusCode(), body);
    }

    /** An object of JSON; for bodies. */
    static Map<String, Object> object(Object... namesAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            map.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return map;
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
