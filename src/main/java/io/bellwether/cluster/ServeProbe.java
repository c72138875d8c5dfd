package io.bellwether.cluster;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;

/** Asks a process, on its own port, whether it is ready and what its name is. Thread-safe. */
final class ServeProbe implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(2);

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(LIMIT)
            .build();

    /**
     * Its name once it is ready. A name ends in the pid and eight random digits: an answer under any other name is that of
     * a stranger who listens on the port.
     */
    Optional<String> readyName(int port, long pid) throws InterruptedException {
        try {
            HttpResponse<Void> answer = http
                    .send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/readyz"))
                            .timeout(LIMIT).build(), HttpResponse.BodyHandlers.discarding());
            return answer.statusCode() == 200
                    ? answer.headers().firstValue("Bellwether-Process")
                            .filter(name -> name.matches(".*-" + pid + "-[0-9a-f]{8}"))
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
