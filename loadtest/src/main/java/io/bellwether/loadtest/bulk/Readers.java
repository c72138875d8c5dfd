package io.bellwether.loadtest.bulk;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.bellwether.loadtest.bench.Latencies;

/**
 * A fleet that reads a small set through nginx: each polls its head with the last entity tag, and fetches the whole bundle
 * now and then. From {@link #begin} to {@link #end} the time of each answer counts.
 */
final class Readers implements AutoCloseable {
    private static final int POLLS_A_BUNDLE = 8;
    private static final long PAUSE_MILLIS = 20;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NORMAL).build();
    private final URI head;
    private final URI bundle;
    private final String token;
    private final List<Thread> threads = new ArrayList<>();
    private final Latencies heads = new Latencies();
    private final Latencies bundles = new Latencies();
    private final AtomicLong failures = new AtomicLong();
    private volatile boolean stopped;

    /**
     * What readers saw from one moment to another.
     *
     * @param heads how long polls of the head took
     * @param bundles how long bundles took, to their last byte
     * @param failures answers that were none, or neither 200 nor 304
     */
    record Seen(Latencies.Summary heads, Latencies.Summary bundles, long failures) {}

    /** Starts them. */
    Readers(int number, String url, String set, String token) {
        this.head = URI.create(url + "/v1/sets/" + set);
        this.bundle = URI.create(url + "/v1/sets/" + set + "/bundle.ndjson.gz");
        this.token = token;
        for (int i = 0; i < number; i++) {
            Thread thread = new Thread(this::read, "reader-" + i);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    /** What was seen so far does not count. */
    void begin() {
        heads.clear();
        bundles.clear();
        failures.set(0);
    }

    /** What was seen since the beginning. */
    Seen end() {
        return new Seen(heads.summary(), bundles.summary(), failures.get());
    }

    private void read() {
        String etag = "\"none\"";
        try {
            for (long n = 1; !stopped; n++) {
                etag = get(head, etag, heads);
                if (n % POLLS_A_BUNDLE == 0) {
                    get(bundle, "\"none\"", bundles);
                }
                Thread.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String get(URI uri, String etag, Latencies latencies) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(uri).timeout(LIMIT).header("Authorization", "Bearer " + token)
                .header("If-None-Match", etag).build();
        long begun = System.nanoTime();
        try {
            HttpResponse<Void> response = http.send(request, HttpResponse.BodyHandlers.discarding());
            latencies.add(System.nanoTime() - begun);
            if (response.statusCode() != 200 && response.statusCode() != 304) {
                failures.incrementAndGet();
            }
            return response.headers().firstValue("ETag").orElse(etag);
        } catch (IOException e) {
            if (!stopped) {
                failures.incrementAndGet();
            }
            return etag;
        }
    }

    @Override
    public void close() throws InterruptedException {
        stopped = true;
        for (Thread thread : threads) {
            thread.join(LIMIT.toMillis());
        }
    }
}
