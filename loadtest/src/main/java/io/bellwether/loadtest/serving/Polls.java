package io.bellwether.loadtest.serving;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;

import io.bellwether.loadtest.bench.BenchmarkException;
import io.bellwether.loadtest.bench.Latencies;

/** Polls as fast as answers come, over connections with one request at a time each, from the calling thread. */
final class Polls {
    private static final long SILENCE_MILLIS = 10_000;

    private final int port;
    private final ByteBuffer request;
    private final Latencies latencies = new Latencies();
    private long answers;

    private Polls(int port, byte[] request) {
        this.port = port;
        this.request = PollConnection.prepare(request);
    }

    /**
     * What came.
     *
     * @param perSecond answers
     * @param answers how many
     * @param latencies how long each took
     */
    record Rate(double perSecond, long answers, Latencies.Summary latencies) {}

    /**
     * Polls for a time.
     *
     * @throws BenchmarkException when an answer is not 304, a connection ends, or nothing comes for ten seconds
     */
    static Rate run(int port, byte[] request, int connections, Duration time) throws IOException {
        return new Polls(port, request).run(connections, time);
    }

    private Rate run(int connections, Duration time) throws IOException {
        try (Selector selector = Selector.open()) {
            try {
                for (int i = 0; i < connections; i++) {
                    PollConnection.open(port, request, selector);
                }
                long begun = System.nanoTime();
                for (SelectionKey key : selector.keys()) {
                    PollConnection.of(key).send();
                }
                long end = begun + time.toNanos();
                while (System.nanoTime() - end < 0) {
                    if (selector.select(key -> answered(selector, key), SILENCE_MILLIS) == 0) {
                        throw new BenchmarkException("no answer for " + SILENCE_MILLIS + " ms");
                    }
                }
                return new Rate((double) answers * 1e9 / (double) (System.nanoTime() - begun), answers,
                        latencies.summary());
            } finally {
                for (SelectionKey key : selector.keys()) {
                    key.channel().close();
                }
            }
        }
    }

    private void answered(Selector selector, SelectionKey key) {
        PollConnection connection = PollConnection.of(key);
        try {
            if (!connection.read()) {
                return;
            }
            answers++;
            latencies.add(System.nanoTime() - connection.sent());
            if (connection.isWornOut()) {
                connection.close();
                connection = PollConnection.open(port, request, selector);
            }
            connection.send();
        } catch (IOException e) {
            throw new BenchmarkException("a connection failed: " + e.getMessage(), e);
        }
    }
}
