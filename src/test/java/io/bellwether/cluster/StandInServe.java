package io.bellwether.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * A process that stands where {@code serve} stands and does nothing but answer: for tests of the supervision and of
 * nginx's configuration, which need processes that are quick to start and say what they were asked.
 */
public final class StandInServe {
    private StandInServe() {}

    /** The command that runs it with the JVM and the class path of the tests. */
    static List<String> command() {
        return List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC", "-cp", Path.of("target/test-classes").toAbsolutePath().toString(),
                StandInServe.class.getName());
    }

    /**
     * Listens on {@code BELLWETHER_PORT} until its standard input ends. A path names what it does: {@code …/status/503}
     * answers so, {@code …/hang} answers after 100 s, {@code …/die} ends the process, {@code …/half/N} ends it after half of the N
     * bytes that it announced, {@code …/torn/N} after N bytes of which it did not say how many there are; all others echo the
     * request.
     */
    public static void main(String[] args) throws IOException {
        int port = Integer.parseInt(System.getenv("BELLWETHER_PORT"));
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", StandInServe::answer);
        server.start();
        while (System.in.read() >= 0) {
            // only its end matters
        }
        System.exit(0);
    }

    private static void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getRawPath();
        byte[] asked = exchange.getRequestBody().readAllBytes();
        if (path.endsWith("/die")) {
            Runtime.getRuntime().halt(7);
        }
        if (path.endsWith("/hang")) {
            LockSupport.parkNanos(Duration.ofSeconds(100).toNanos());
        }
        String target = exchange.getRequestURI().toString();
        int half = Math.max(target.indexOf("/half/"), target.indexOf("/torn/"));
        if (half >= 0) {
            dieHalfWay(exchange, Integer.parseInt(target.substring(half + 6)), target.contains("/half/"));
        }
        int at = path.indexOf("/status/");
        int status = at < 0 ? 200 : Integer.parseInt(path.substring(at + 8));
        Map<String, List<String>> headers = exchange.getRequestHeaders();
        StringBuilder text = new StringBuilder(exchange.getRequestMethod()).append(' ')
                .append(exchange.getRequestURI()).append('\n');
        headers.forEach((name, values) -> text.append(name).append(": ").append(values.getFirst()).append('\n'));
        text.append("body ").append(asked.length).append('\n');
        byte[] body = text.toString().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Bellwether-Process",
                "stand-in-" + ProcessHandle.current().pid() + "-00000000");
        exchange.getResponseHeaders().set("ETag", "\"e0e0e0e0.r1\"");
        exchange.sendResponseHeaders(status, exchange.getRequestMethod().equals("HEAD") ? -1 : body.length);
        if (!exchange.getRequestMethod().equals("HEAD")) {
            exchange.getResponseBody().write(body);
        }
        exchange.close();
    }

    private static void dieHalfWay(HttpExchange exchange, int bytes, boolean announced) throws IOException {
        exchange.sendResponseHeaders(200, announced ? bytes : 0);
        exchange.getResponseBody().write(new byte[announced ? bytes / 2 : bytes]);
        exchange.getResponseBody().flush();
        // So that the front has got it, and passes it on, before the connection ends.
        LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
        Runtime.getRuntime().halt(7);
    }
}
