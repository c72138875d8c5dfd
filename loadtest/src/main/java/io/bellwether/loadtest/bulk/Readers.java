package io.bellwether.loadtest.bulk;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.bellwether.loadtest.bench.Latencies;

/**
 * A fleet that reads a small set through nginx: each polls its head with the last entity tag, and fetches the whole bundle
 * now and then. From {@link #begin} to {@link #end} the time of each answer counts. Each asks and reads on one thread of its
 * own, so that what is measured is the server, not how the client hands an answer from thread to thread.
 */
final class Readers implements AutoCloseable {
    private static final int POLLS_A_BUNDLE = 8;
    private static final long PAUSE_MILLIS = 20;
    private static final Duration LIMIT = Duration.ofSeconds(30);

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
        // As many connections stay open as there are readers; by default five would.
        System.setProperty("http.maxConnections", Integer.toString(number));
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

    private String get(URI uri, String etag, Latencies latencies) {
        long begun = System.nanoTime();
        try {
            HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
            connection.setConnectTimeout((int) LIMIT.toMillis());
            connection.setReadTimeout((int) LIMIT.toMillis());
            connection.setRequestProperty("Authorization", "Bearer " + token);
            connection.setRequestProperty("If-None-Match", etag);
            int status = connection.getResponseCode();
            if (status != HttpURLConnection.HTTP_OK && status != HttpURLConnection.HTTP_NOT_MODIFIED) {
                failures.incrementAndGet();
            }
            InputStream body = status < 400 ? connection.getInputStream() : connection.getErrorStream();
            if (body != null) {
                body.transferTo(OutputStream.nullOutputStream());
            }
            latencies.add(System.nanoTime() - begun);
            String next = connection.getHeaderField("ETag");
            return next == null ? etag : next;
        } catch (IOException e) {
            if (!stopped) {
                failures.incrementAndGet();
                latencies.add(System.nanoTime() - begun);
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
