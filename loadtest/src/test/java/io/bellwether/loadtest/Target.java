package io.bellwether.loadtest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

import io.gatling.javaapi.http.HttpProtocolBuilder;

import static io.gatling.javaapi.http.HttpDsl.http;

/** What is tested, from system properties: {@code url}, {@code token}, {@code set}. */
final class Target {
    private static final String URL = System.getProperty("url", "http://127.0.0.1:8080");
    private static final HttpClient CLIENT = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    static final String SET = System.getProperty("set", "demo");

    private Target() {}

    /** The front, with a connection per virtual user as a fleet of servers has. */
    static HttpProtocolBuilder protocol() {
        return http.baseUrl(URL).authorizationHeader("Bearer " + token())
                .disableFollowRedirect().disableCaching().userAgentHeader("bellwether-loadtest");
    }

    /** One request by itself, before the load: what is not there should be said at once. */
    static HttpResponse<Void> ask(String path) throws IOException, InterruptedException {
        return CLIENT.send(request(path, token()).build(), HttpResponse.BodyHandlers.discarding());
    }

    /** Asks for a run of a job, as an operator does. */
    static void runNow(String job, String adminToken) {
        try {
            HttpResponse<String> answer = CLIENT.send(request("/v1/admin/jobs/" + job + "/runs", adminToken)
                    .POST(HttpRequest.BodyPublishers.noBody()).build(), HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 202) {
                throw new IllegalStateException("a run of " + job + " was refused: " + answer.body());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static HttpRequest.Builder request(String path, String token) {
        return HttpRequest.newBuilder(URI.create(URL + path)).timeout(Duration.ofSeconds(30))
                .header("Authorization", "Bearer " + token);
    }

    private static String token() {
        String token = System.getProperty("token", "");
        if (token.isEmpty()) {
            throw new IllegalArgumentException("-Dtoken=… is required: a token that opens the set");
        }
        return token;
    }

    /** A whole number from a system property. */
    static int number(String name, int otherwise) {
        return Integer.getInteger(name, otherwise);
    }
}
