package io.bellwether.endtoend;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.jspecify.annotations.Nullable;

import io.bellwether.feed.FeedGenerator;
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

    private final HttpServer server;
    private final FeedShape shape;
    private final List<byte[]> served = new ArrayList<>();
    private @Nullable Pause next;

    TestUpstream(FeedShape shape) throws IOException {
        this.shape = shape;
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

    /** The feeds served so far, in order. */
    synchronized List<byte[]> served() {
        return List.copyOf(served);
    }

    private void answer(HttpExchange exchange) throws IOException {
        byte[] feed;
        Pause pause;
        synchronized (this) {
            feed = generate(shape.atGeneration(served.size()));
            served.add(feed);
            pause = next;
            next = null;
        }
        try (exchange) {
            exchange.getResponseHeaders().set("Content-Type", "application/x-ndjson");
            exchange.sendResponseHeaders(200, feed.length);
            OutputStream out = exchange.getResponseBody();
            int half = feed.length / 2;
            out.write(feed, 0, half);
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

    private static byte[] generate(FeedShape shape) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            new FeedGenerator(shape).writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
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
