package io.bellwether.loadtest.serving;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;

import io.bellwether.loadtest.bench.Latencies;

/**
 * Polls at a steady rate, whether or not earlier ones have been answered, from a thread of its own; each is timed from when
 * it was sent. From {@link #begin} to {@link #end} it counts.
 */
final class WatchedPolls implements AutoCloseable {
    private static final int MOST_CONNECTIONS = 256;
    private static final long STOP_MILLIS = 10_000;

    private final int port;
    private final ByteBuffer request;
    private final long everyNanos;
    private final Latencies latencies = new Latencies();
    private final AtomicLong failures = new AtomicLong();
    private final Deque<PollConnection> idle = new ArrayDeque<>();
    private final Thread thread = new Thread(this::run, "watched-polls");
    private volatile boolean stopped;
    private volatile String lastFailure = "";
    private int open;

    /**
     * What was seen.
     *
     * @param latencies how long answers took
     * @param failures answers that were none or not 304, and polls that were not begun because all connections waited
     * @param lastFailure in words; empty when there was none at all
     */
    record Seen(Latencies.Summary latencies, long failures, String lastFailure) {}

    /** Begins to poll. */
    WatchedPolls(int port, byte[] request, int perSecond) {
        this.port = port;
        this.request = PollConnection.prepare(request);
        this.everyNanos = 1_000_000_000L / perSecond;
        thread.setDaemon(true);
        thread.start();
    }

    /** What was seen so far does not count. */
    void begin() {
        latencies.clear();
        failures.set(0);
    }

    /** What was seen since the beginning. */
    Seen end() {
        return new Seen(latencies.summary(), failures.get(), lastFailure);
    }

    private void run() {
        try (Selector selector = Selector.open()) {
            try {
                long due = System.nanoTime();
                while (!stopped) {
                    for (; System.nanoTime() - due >= 0; due += everyNanos) {
                        poll(selector);
                    }
                    selector.select(this::readable, Math.max(1, (due - System.nanoTime()) / 1_000_000));
                }
            } finally {
                for (SelectionKey key : selector.keys()) {
                    key.channel().close();
                }
            }
        } catch (IOException e) {
            failed(e);
        }
    }

    private void poll(Selector selector) {
        try {
            PollConnection connection = idle.pollFirst();
            if (connection == null) {
                if (open == MOST_CONNECTIONS) {
                    failed(new IOException("all " + open + " connections wait"));
                    return;
                }
                connection = PollConnection.open(port, request, selector);
                open++;
            }
            connection.send();
        } catch (IOException e) {
            failed(e);
        }
    }

    private void readable(SelectionKey key) {
        PollConnection connection = PollConnection.of(key);
        try {
            boolean awaited = connection.isWaiting();
            if (!connection.read()) {
                return;
            }
            if (awaited) {
                latencies.add(System.nanoTime() - connection.sent());
            }
            if (connection.isWornOut()) {
                drop(connection);
            } else {
                idle.addFirst(connection);
            }
        } catch (IOException e) {
            if (connection.isWaiting()) {
                failed(e);
            }
            idle.remove(connection);
            drop(connection);
        }
    }

    private void drop(PollConnection connection) {
        open--;
        try {
            connection.close();
        } catch (IOException e) {
            failed(e);
        }
    }

    private void failed(IOException e) {
        failures.incrementAndGet();
        lastFailure = String.valueOf(e.getMessage());
    }

    @Override
    public void close() throws InterruptedException {
        stopped = true;
        thread.join(STOP_MILLIS);
    }
}
