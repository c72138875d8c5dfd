package io.bellwether.loadtest.bench;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * Where the feeds come from: a small HTTP server on a loopback port that serves one file at a time, with an entity tag (and
 * 304 to whoever names it) or without any. Thread-safe.
 */
public final class Upstream implements AutoCloseable {
    private record Served(Path file, String etag) {}

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "upstream");
        thread.setDaemon(true);
        return thread;
    });
    private volatile Served served;

    public Upstream() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
        server.setExecutor(threads);
        server.createContext("/feed.ndjson", this::answer);
        server.start();
    }

    /** The address of the feed. */
    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/feed.ndjson";
    }

    /**
     * From now on this file is the feed.
     *
     * @param validated whether answers carry an entity tag
     */
    public void serve(Path file, boolean validated) {
        served = new Served(file, validated ? "\"" + file.getFileName() + "\"" : "");
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            Served now = served;
            if (!now.etag().isEmpty()) {
                exchange.getResponseHeaders().set("ETag", now.etag());
                if (now.etag().equals(exchange.getRequestHeaders().getFirst("If-None-Match"))) {
                    exchange.sendResponseHeaders(304, -1);
                    return;
                }
            }
            exchange.getResponseHeaders().set("Content-Type", "application/x-ndjson");
            exchange.sendResponseHeaders(200, Files.size(now.file()));
            try (OutputStream body = exchange.getResponseBody()) {
                Files.copy(now.file(), body);
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
