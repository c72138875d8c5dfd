package io.bellwether.loadtest.scale;

import java.nio.file.Path;
import java.util.List;

import io.bellwether.loadtest.bench.AdminApi;
import io.bellwether.loadtest.bench.Upstream;

/** Publishes a set every few seconds, now with one feed and now with the other. */
final class Publisher implements AutoCloseable {
    private static final long PAUSE_MILLIS = 5_000;
    private static final long STOP_MILLIS = 60_000;

    private final AdminApi api;
    private final Upstream upstream;
    private final String set;
    private final List<Path> feeds;
    private final Thread thread = new Thread(this::publish, "publisher");
    private volatile boolean stopped;
    private volatile Exception failure;

    /**
     * Begins.
     *
     * @param feeds the first one is what the set holds now
     */
    Publisher(AdminApi api, Upstream upstream, String set, List<Path> feeds) {
        this.api = api;
        this.upstream = upstream;
        this.set = set;
        this.feeds = feeds;
        thread.setDaemon(true);
        thread.start();
    }

    private void publish() {
        try {
            for (int i = 1;; i++) {
                sleep();
                if (stopped && i % 2 == 1) {
                    return;
                }
                upstream.serve(feeds.get(i % 2), false);
                api.run(set, "published");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            failure = e;
        }
    }

    private synchronized void sleep() throws InterruptedException {
        if (!stopped) {
            wait(PAUSE_MILLIS);
        }
    }

    /** Ends, with the first feed as what the set holds. */
    @Override
    public void close() throws Exception {
        synchronized (this) {
            stopped = true;
            notifyAll();
        }
        thread.join(STOP_MILLIS);
        if (failure != null) {
            throw failure;
        }
    }
}
