package io.bellwether.cli;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import org.jspecify.annotations.Nullable;

import io.bellwether.fault.FaultKind;

/**
 * Asks the admin API. Every failure is a {@link CommandFailure} with a line that says what to do, and the exit code that
 * belongs to the problem's type. Thread safe.
 */
final class AdminApi implements AutoCloseable {
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final URI base;
    private final String token;
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_LIMIT).build();

    AdminApi(URI base, String token) {
        this.base = base;
        this.token = token;
    }

    /** The server could not be asked, or not now: asking again may help. */
    static final class Unreachable extends Exception {
        private static final long serialVersionUID = 1L;

        Unreachable(String line, @Nullable Throwable cause) {
            super(line, cause);
        }
    }

    /** One part of a path. */
    static String part(String name) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    }

    JsonNode get(String path) throws CommandFailure, InterruptedException {
        return ask(request(path).GET().build());
    }

    JsonNode put(String path, JsonNode body) throws CommandFailure, InterruptedException {
        return ask(request(path).header("Content-Type", "application/json").PUT(publisher(body)).build());
    }

    JsonNode post(String path, JsonNode body) throws CommandFailure, InterruptedException {
        return ask(request(path).header("Content-Type", "application/json").POST(publisher(body)).build());
    }

    void delete(String path) throws CommandFailure, InterruptedException {
        ask(request(path).DELETE().build());
    }

    /** As {@link #get}, for those who ask again when it may help. */
    JsonNode tryGet(String path) throws CommandFailure, Unreachable, InterruptedException {
        return send(request(path).GET().build());
    }

    /** As {@link #post}, for those who ask again when it may help; the key makes that harmless. */
    JsonNode tryPost(String path, JsonNode body, String idempotencyKey)
            throws CommandFailure, Unreachable, InterruptedException {
        return send(request(path).header("Content-Type", "application/json").header("Idempotency-Key", idempotencyKey)
                .POST(publisher(body)).build());
    }

    private JsonNode ask(HttpRequest request) throws CommandFailure, InterruptedException {
        try {
            return send(request);
        } catch (Unreachable e) {
            throw new CommandFailure(CommandFailure.FAILED, String.valueOf(e.getMessage()), e);
        }
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(base + path)).timeout(LIMIT)
                .header("Authorization", "Bearer " + token).header("Accept", "application/json");
    }

    private static HttpRequest.BodyPublisher publisher(JsonNode body) {
        return HttpRequest.BodyPublishers.ofString(body.toString());
    }

    private JsonNode send(HttpRequest request) throws CommandFailure, Unreachable, InterruptedException {
        HttpResponse<byte[]> answer;
        try {
            answer = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
        } catch (HttpTimeoutException e) {
            throw new Unreachable("no answer from " + base + " within " + LIMIT.toSeconds() + " s", e);
        } catch (ConnectException e) {
            String why = e.getCause() instanceof ConnectException c
                    && c.getCause() instanceof UnresolvedAddressException
                    || e.getCause() instanceof UnresolvedAddressException ? "no such host" : "connection refused";
            throw new Unreachable("cannot reach " + base + ": " + why
                    + "; is it running, and is --url (or BELLWETHER_URL) right?", e);
        } catch (IOException e) {
            throw new Unreachable("asking " + base + " failed: " + Table.plain(String.valueOf(e.getMessage())), e);
        }
        JsonNode body = read(answer);
        if (answer.statusCode() / 100 == 2) {
            if (body.isMissingNode() && answer.statusCode() != 204) {
                throw new CommandFailure(CommandFailure.FAILED, base + " answered something that is not JSON;"
                        + " is --url (or BELLWETHER_URL) right?");
            }
            return body;
        }
        String line = problem(answer.statusCode(), body);
        if (answer.statusCode() >= 502 && answer.statusCode() <= 504) {
            throw new Unreachable(line, null);
        }
        throw new CommandFailure(exitCode(body), line);
    }

    private static JsonNode read(HttpResponse<byte[]> answer) throws CommandFailure {
        if (!answer.headers().firstValue("Content-Type").orElse("").contains("json")) {
            return MissingNode.getInstance();
        }
        try {
            return JSON.readTree(answer.body());
        } catch (JsonProcessingException e) {
            return MissingNode.getInstance();
        } catch (IOException e) {
            throw new CommandFailure(CommandFailure.FAILED, "the answer could not be read", e);
        }
    }

    private String problem(int status, JsonNode body) {
        String detail = body.path("detail").asText("");
        if (detail.isEmpty()) {
            return base + " answered with HTTP status " + status;
        }
        String shown = Table.line(detail);
        return status == 401 || status == 403 ? shown + " (is --token, or BELLWETHER_TOKEN, the admin token?)" : shown;
    }

    private static int exitCode(JsonNode body) {
        String type = body.path("type").asText("");
        String name = type.substring(type.lastIndexOf('/') + 1);
        return Arrays.stream(FaultKind.values()).filter(kind -> kind.problemType().equals(name)).findFirst()
                .map(FaultKind::exitCode).orElse(CommandFailure.FAILED);
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
