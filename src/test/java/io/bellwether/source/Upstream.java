package io.bellwether.source;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import javax.net.ssl.SSLContext;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import org.jspecify.annotations.Nullable;

/** A real HTTP server on the loopback address that behaves as badly as a test wants. */
final class Upstream implements AutoCloseable {
    /** A request that arrived. */
    record Seen(String path, Headers headers) {}

    private final HttpServer server;
    private final String scheme;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final List<Seen> seen = new CopyOnWriteArrayList<>();

    Upstream() throws IOException {
        this(null);
    }

    Upstream(@Nullable SSLContext tls) throws IOException {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        if (tls == null) {
            server = HttpServer.create(any, 0);
            scheme = "http";
        } else {
            HttpsServer https = HttpsServer.create(any, 0);
            https.setHttpsConfigurator(new HttpsConfigurator(tls));
            server = https;
            scheme = "https";
        }
        server.setExecutor(threads);
        server.start();
    }

    /** Lets {@code handler} answer on {@code path}; an exception of its own breaks the connection off. */
    Upstream on(String path, HttpHandler handler) {
        server.createContext(path, exchange -> {
            seen.add(new Seen(exchange.getRequestURI().toString(), exchange.getRequestHeaders()));
            handler.handle(exchange);
        });
        return this;
    }

    Upstream on(String path, int status, byte[] body, String... headers) {
        return on(path, exchange -> answer(exchange, status, body, headers));
    }

    static void answer(HttpExchange exchange, int status, byte[] body, String... headers) throws IOException {
        for (int i = 0; i < headers.length; i += 2) {
            exchange.getResponseHeaders().add(headers[i], headers[i + 1]);
        }
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        if (body.length > 0) {
            exchange.getResponseBody().write(body);
        }
        exchange.close();
    }

    /** Blocks a handler until the test is over. */
    void hang() {
        try {
            closing.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    String url(String path) {
        return scheme + "://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    List<Seen> seen() {
        return seen;
    }

    @Override
    public void close() {
        closing.countDown();
        server.stop(0);
        threads.shutdownNow();
        threads.close();
    }
}
