package io.bellwether.endtoend;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.jspecify.annotations.Nullable;

import io.bellwether.feed.FeedShape;

/** An upstream whose feed moves on by one generation with each request, and that can be made to stop in the middle. */
final class TestUpstream implements AutoCloseable {
    /** A request that waits in the middle of its body. */
    static final class Pause {
        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);

        /** Waits until a request is there. */
        void awaitReached() throws InterruptedException {
            if (!reached.await(60, TimeUnit.SECONDS)) {
                throw new AssertionError("nobody asked the upstream within a minute");
            }
        }

        /** Lets it go on. */
        void release() {
            goOn.countDown();
        }
    }

    /** When each request came, by the clock of this machine; its place is the number of the feed it got. */
    private final List<Instant> served = new ArrayList<>();
    private final HttpServer server;
    private final Feeds feeds;
    private @Nullable Pause next;
    private @Nullable Random pace;
    private Duration longest = Duration.ZERO;

    TestUpstream(FeedShape shape) throws IOException {
        this(Feeds.of(shape));
    }

    TestUpstream(Feeds feeds) throws IOException {
        this.feeds = feeds;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/feed.ndjson", this::answer);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/feed.ndjson";
    }

    /** Makes the next request wait in the middle of its body. */
    synchronized Pause pauseNext() {
        Pause pause = new Pause();
        next = pause;
        return pause;
    }

    /** Makes each answer take up to {@code atMost}, so that runs are met in their middle. */
    synchronized void dawdle(Random random, Duration atMost) {
        pace = random;
        longest = atMost;
    }

    /** What it serves. */
    Feeds feeds() {
        return feeds;
    }

    /** The feeds served so far, in order. */
    synchronized List<byte[]> served() {
        return LongStream.range(0, served.size()).mapToObj(feeds::body).toList();
    }

    /** The numbers of the feeds that were asked for in that time. */
    synchronized List<Long> servedBetween(Instant from, Instant to) {
        return LongStream.range(0, served.size()).filter(
                i -> !served.get((int) i).isBefore(from) && !served.get((int) i).isAfter(to)).boxed().toList();
    }

    private void answer(HttpExchange exchange) throws IOException {
        byte[] feed;
        Pause pause;
        long nanos;
        synchronized (this) {
            served.add(Instant.now());
            feed = feeds.body(served.size() - 1L);
            pause = next;
            next = null;
            nanos = pace == null ? 0 : (long) (pace.nextDouble() * longest.toNanos());
        }
        try (exchange) {
            exchange.getResponseHeaders().set("Content-Type", feeds.contentType());
            exchange.sendResponseHeaders(200, feed.length);
            OutputStream out = exchange.getResponseBody();
            int half = feed.length / 2;
            out.write(feed, 0, half);
            if (nanos > 0) {
                out.flush();
                LockSupport.parkNanos(nanos);
            }
            if (pause != null) {
                out.flush();
                pause.reached.countDown();
                pause.goOn.await();
            }
            out.write(feed, half, feed.length - half);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The lines of a feed by their keys, in key order; a generated line is the canonical line already. */
    static Map<String, String> lines(byte[] feed) {
        Map<String, String> lines = new TreeMap<>();
        new String(feed, StandardCharsets.UTF_8).lines()
                .forEach(line -> lines.put(line.substring(0, line.indexOf(",\"body\":")), line));
        return lines;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
