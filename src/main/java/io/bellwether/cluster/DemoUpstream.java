package io.bellwether.cluster;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import io.bellwether.feed.FeedGenerator;
import io.bellwether.feed.FeedShape;

/**
 * The upstream of the demonstration: a feed of some thousand policies of which a few change at each step of the clock. The
 * same at the same time, so that a restart of {@code up} goes on where it was. Answers conditional requests. On 127.0.0.1
 * alone.
 */
final class DemoUpstream implements AutoCloseable {
    private static final long POLICIES = 5_000;
    private static final long SEED = 20_260_101;
    /** Twenty policies of five thousand at a step. */
    private static final double CHANGE = 0.004;
    /** Not a divisor of the set's schedule of 10 s: some ticks find one step, some two. */
    static final Duration STEP = Duration.ofSeconds(7);

    private final HttpServer server;
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final InstantSource clock;

    private DemoUpstream(HttpServer server, InstantSource clock) {
        this.server = server;
        this.clock = clock;
    }

    static DemoUpstream start(int port, InstantSource clock) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 64);
        DemoUpstream upstream = new DemoUpstream(server, clock);
        server.setExecutor(upstream.executor);
        server.createContext("/feed.ndjson", upstream::answer);
        server.start();
        return upstream;
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/feed.ndjson";
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            long step = clock.millis() / STEP.toMillis();
            String tag = "\"step-" + step + "\"";
            exchange.getResponseHeaders().set("ETag", tag);
            if (tag.equals(exchange.getRequestHeaders().getFirst("If-None-Match"))) {
                exchange.sendResponseHeaders(304, -1);
                return;
            }
            exchange.getResponseHeaders().set("Content-Type", "application/x-ndjson");
            boolean head = exchange.getRequestMethod().equals("HEAD");
            exchange.sendResponseHeaders(200, head ? -1 : 0);
            if (!head) {
                try (OutputStream out = new BufferedOutputStream(exchange.getResponseBody(), 1 << 16)) {
                    new FeedGenerator(new FeedShape(POLICIES, SEED, CHANGE, step)).writeTo(out);
                }
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
        executor.shutdownNow();
    }
}
