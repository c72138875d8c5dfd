package io.bellwether.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * What stands where a process stands, and answers about segments and bundles by the rules of the real one. A token opens
 * the sets that it names ({@code edge:a,b}). Remembers what it was asked for. Thread safe.
 */
final class ServingStandIn implements AutoCloseable {
    /** Two and a half slices. */
    static final int BUNDLE_BYTES = 10_000_000;
    static final int SEGMENT_BYTES = 40_000;
    /** A revision without any policy. */
    static final String EMPTY = "88";
    static final String GONE = "99";

    private static final Pattern ACCESS = Pattern.compile("/internal/access/([^/]+)");
    private static final Pattern HEAD = Pattern.compile("/v1/sets/([^/]+)");
    private static final Pattern SEGMENT = Pattern.compile("/v1/sets/([^/]+)/segments/([0-9a-f]{64})");
    private static final Pattern BUNDLE = Pattern.compile("/v1/sets/([^/]+)/revisions/([0-9]+)/bundle\\.ndjson\\.gz");
    private static final Pattern RANGE = Pattern.compile("bytes=([0-9]*)-([0-9]*)");

    volatile String epoch = "11111111-1111-1111-1111-111111111111";
    final Set<String> revoked = ConcurrentHashMap.newKeySet();
    /** Path and range of all but questions of access. */
    final List<String> asked = new CopyOnWriteArrayList<>();
    /** After how many bytes an answer is cut, once, by path and range as in {@link #asked}. */
    final Map<String, Integer> torn = new ConcurrentHashMap<>();
    /** How many bytes the range of an answer falls short of what was asked for. */
    volatile int shorter;
    /** How long it takes before it answers, access apart. */
    volatile Duration delay = Duration.ZERO;
    /** Path, id and where from of every request. */
    final List<String> told = new CopyOnWriteArrayList<>();
    /** The ports at the other end of its connections. */
    final Set<Integer> connections = ConcurrentHashMap.newKeySet();
    /** What {@code …/hold} waits for, and {@code …/slowly} before its last line. */
    final CountDownLatch held = new CountDownLatch(1);
    /** How many came there. */
    final AtomicInteger holding = new AtomicInteger();
    private final HttpServer server;

    ServingStandIn() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 200);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::answer);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** The bytes of a bundle. */
    static byte[] bundle(String set, String revision, String epoch) {
        return revision.equals(EMPTY) ? new byte[0] : bytes(set + revision + epoch, BUNDLE_BYTES);
    }

    /** The bytes of a segment. */
    static byte[] segment(String sha256) {
        return bytes(sha256, SEGMENT_BYTES);
    }

    private static byte[] bytes(String name, int length) {
        byte[] bytes = new byte[length];
        new Random(name.hashCode()).nextBytes(bytes);
        return bytes;
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getRawPath();
            exchange.getResponseHeaders().set("Bellwether-Process", "stand-in-" + port());
            remember(exchange, path);
            Matcher access = ACCESS.matcher(path);
            Matcher segment = SEGMENT.matcher(path);
            Matcher bundle = BUNDLE.matcher(path);
            if (path.endsWith("/hold")) {
                holding.incrementAndGet();
                held.await();
                send(exchange, 200, new byte[0]);
            } else if (exchange.getRequestURI().toString().endsWith("/slowly")) {
                slowly(exchange);
            } else if (access.matches()) {
                if (opens(exchange, access.group(1))) {
                    header(exchange, "Cache-Control", "max-age=1, stale-if-error=7");
                    header(exchange, "Bellwether-Epoch", epoch);
                    header(exchange, "Bellwether-Revision", "7");
                    exchange.sendResponseHeaders(204, -1);
                }
            } else {
                asked.add(path + " " + exchange.getRequestHeaders().getFirst("Range"));
                LockSupport.parkNanos(delay.toNanos());
                Matcher head = HEAD.matcher(path);
                if (head.matches() && exchange.getRequestMethod().equals("GET")) {
                    content(exchange, ("{\"revision\":7,\"set\":\"" + head.group(1) + "\"}")
                            .getBytes(StandardCharsets.UTF_8), "\"11111111.r7\"", "private, no-cache");
                } else if (segment.matches() && opens(exchange, segment.group(1))) {
                    header(exchange, "Bellwether-Revision", "3");
                    header(exchange, "Bellwether-Epoch", epoch);
                    content(exchange, segment(segment.group(2)), '"' + segment.group(2) + '"',
                            "private, max-age=31536000, immutable");
                } else if (bundle.matches() && opens(exchange, bundle.group(1))) {
                    bundle(exchange, bundle.group(1), bundle.group(2));
                } else if (!segment.matches() && !bundle.matches()) {
                    send(exchange, 200, (exchange.getRequestMethod() + ' ' + path).getBytes(StandardCharsets.UTF_8));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void remember(HttpExchange exchange, String path) {
        Headers fields = exchange.getRequestHeaders();
        told.add(path + " " + fields.getFirst("X-Request-Id") + " " + fields.getFirst("X-Forwarded-For") + " "
                + fields.getFirst("X-Forwarded-Proto") + " " + fields.getFirst("Host"));
        connections.add(exchange.getRemoteAddress().getPort());
    }

    private void slowly(HttpExchange exchange) throws IOException, InterruptedException {
        exchange.sendResponseHeaders(200, 0);
        exchange.getResponseBody().write("first\n".getBytes(StandardCharsets.UTF_8));
        exchange.getResponseBody().flush();
        held.await();
        exchange.getResponseBody().write("last\n".getBytes(StandardCharsets.UTF_8));
        exchange.getResponseBody().close();
    }

    private void bundle(HttpExchange exchange, String set, String revision) throws IOException {
        String now = epoch;
        if (revision.equals(GONE)) {
            problem(exchange, 410);
            return;
        }
        header(exchange, "Bellwether-Revision", revision);
        header(exchange, "Bellwether-Epoch", now);
        content(exchange, bundle(set, revision, now), '"' + now.substring(0, 8) + ".r" + revision + '"',
                "private, no-cache");
    }

    private boolean opens(HttpExchange exchange, String set) throws IOException {
        String authorization = exchange.getRequestHeaders().getFirst("Authorization");
        if (authorization == null || revoked.contains(authorization)) {
            header(exchange, "WWW-Authenticate", "Bearer realm=\"bellwether\"");
            problem(exchange, 401);
            return false;
        }
        if (!Arrays.asList(authorization.substring(authorization.indexOf(':') + 1).split(",", -1)).contains(set)) {
            problem(exchange, 403);
            return false;
        }
        return true;
    }

    private void problem(HttpExchange exchange, int status) throws IOException {
        header(exchange, "Content-Type", "application/problem+json");
        header(exchange, "Cache-Control", "no-store");
        send(exchange, status,
                String.format(Locale.ROOT, "{\"by\":\"process\",\"status\":%d}\n", status)
                        .getBytes(StandardCharsets.UTF_8));
    }

    private void content(HttpExchange exchange, byte[] body, String etag, String cacheControl)
            throws IOException {
        header(exchange, "ETag", etag);
        header(exchange, "Cache-Control", cacheControl);
        String known = exchange.getRequestHeaders().getFirst("If-None-Match");
        if (known != null && known.replaceFirst("^W/", "").equals(etag)) {
            exchange.sendResponseHeaders(304, -1);
            return;
        }
        header(exchange, "Accept-Ranges", "bytes");
        header(exchange, "Content-Type", "application/gzip");
        String range = exchange.getRequestHeaders().getFirst("Range");
        String ifRange = exchange.getRequestHeaders().getFirst("If-Range");
        Matcher part = RANGE.matcher(range == null ? "" : range);
        if (!part.matches() || ifRange != null && !ifRange.equals(etag)) {
            send(exchange, 200, body);
            return;
        }
        int from = part.group(1).isEmpty()
                ? body.length - Integer.parseInt(part.group(2))
                : Integer.parseInt(part.group(1));
        int last = part.group(1).isEmpty() || part.group(2).isEmpty()
                ? body.length - 1
                : Math.min(body.length - 1, Integer.parseInt(part.group(2))) - shorter;
        if (from >= body.length) {
            exchange.getResponseHeaders().remove("ETag");
            header(exchange, "Content-Range", "bytes */" + body.length);
            problem(exchange, 416);
            return;
        }
        header(exchange, "Content-Range", "bytes " + from + "-" + last + "/" + body.length);
        send(exchange, 206, Arrays.copyOfRange(body, from, last + 1));
    }

    private static void header(HttpExchange exchange, String name, String value) {
        exchange.getResponseHeaders().set(name, value);
    }

    private void send(HttpExchange exchange, int status, byte[] body) throws IOException {
        boolean none = exchange.getRequestMethod().equals("HEAD");
        if (none) {
            header(exchange, "Content-Length", Integer.toString(body.length));
        }
        exchange.sendResponseHeaders(status, none || body.length == 0 ? -1 : body.length);
        Integer end = torn.remove(exchange.getRequestURI().getRawPath() + " "
                + exchange.getRequestHeaders().getFirst("Range"));
        if (end != null) {
            exchange.getResponseBody().write(body, 0, end);
            exchange.getResponseBody().flush();
            // So that the front has got it, and passes it on, before the connection ends.
            LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
        } else if (!none && body.length > 0) {
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        held.countDown();
        server.stop(0);
    }
}
