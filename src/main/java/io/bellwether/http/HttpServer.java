package io.bellwether.http;

import java.io.IOException;
import java.net.BindException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

import io.javalin.Javalin;
import io.javalin.compression.CompressionStrategy;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.HttpResponseException;
import io.javalin.util.JavalinBindException;
import io.javalin.util.JavalinLogger;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http.UriCompliance.Violation;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.LowResourceMonitor;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.lifecycle.Service;
import io.bellwether.telemetry.Meters;

/**
 * The server: one port, the routes of its modules, a stop that waits for what is under way. Thread safe.
 *
 * <p>Requests run on virtual threads, so that a handler may simply block; but for those that a {@link QuickEndpoint}
 * answers, ahead of the router.
 */
public final class HttpServer implements Service {
    private static final Logger log = LoggerFactory.getLogger(HttpServer.class);

    /** Longer than the proxy keeps an idle connection (20 s), so that it is never we who close under a new request. */
    private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(75);

    /** How long after the listener closed requests may still arrive on connections that were open. */
    private static final Duration QUIET = Duration.ofMillis(300);

    private static final int HEADER_BYTES = 16 << 10;
    private static final int OUTPUT_BUFFER_BYTES = 32 << 10;
    private static final int BACKLOG = 4096;

    /** Encoded slashes, dots and whatever else in a path are part of a policy's key; no path is ever mapped to a file. */
    private static final UriCompliance ENCODED_KEYS = UriCompliance.DEFAULT.with("encoded keys",
            Violation.AMBIGUOUS_PATH_SEGMENT, Violation.AMBIGUOUS_EMPTY_SEGMENT, Violation.AMBIGUOUS_PATH_SEPARATOR,
            Violation.AMBIGUOUS_PATH_PARAMETER, Violation.AMBIGUOUS_PATH_ENCODING, Violation.SUSPICIOUS_PATH_CHARACTERS,
            Violation.ILLEGAL_PATH_CHARACTERS);

    private static final String ROUTE = "bellwether.route";

    private static final Executor REQUESTS = Executors
            .newThreadPerTaskExecutor(Thread.ofVirtual().name("request-", 0).factory());

    static {
        // Its start-up lines speak of Javalin; ours speak of Bellwether.
        JavalinLogger.startupInfo = false;
    }

    private final String bind;
    private final int port;
    private final Authenticator authenticator;
    private final Meters meters;
    private final String processName;
    private final Traffic traffic = new Traffic();
    private final List<String> routes;
    private final QuickRoutes quick;
    private final Javalin javalin;
    private @Nullable SelectorConnector connector;
    private boolean stopped;

    /**
     * A server that does not listen yet.
     *
     * @param bind the address to listen on
     * @param port the port, 0 for a free one
     * @param modules the routes
     * @param authenticator knows callers by their tokens
     * @param meters gets the request meters
     * @param processName sent as {@code Bellwether-Process}
     */
    public HttpServer(String bind, int port, List<RouteModule> modules, Authenticator authenticator, Meters meters,
            String processName) {
        this.bind = bind;
        this.port = port;
        this.authenticator = authenticator;
        this.meters = meters;
        this.processName = processName;
        Routes all = new Routes(traffic);
        modules.forEach(module -> module.register(all));
        this.quick = new QuickRoutes(all.all(), authenticator, traffic, meters, REQUESTS, processName);
        this.routes = all.all().stream().map(route -> route.method() + " " + route.pattern()).toList();
        this.javalin = Javalin.create(config -> configure(config, all));
    }

    /** What it answers: {@code GET /v1/sets/{set}} and so on; HEAD too where there is GET. */
    public List<String> routes() {
        return routes;
    }

    @Override
    public String name() {
        return "http";
    }

    /**
     * Begins to listen.
     *
     * @throws IOException if the port is taken or not ours to take
     */
    @Override
    public void start() throws IOException {
        try {
            javalin.start();
        } catch (JavalinBindException e) {
            throw (BindException) new BindException("cannot listen on " + bind + ":" + port + ": "
                    + (e.getMessage() == null ? "address in use" : e.getMessage())).initCause(e);
        }
        log.debug("listening on {}:{}", bind, port());
    }

    /** The port it listens on; once started. */
    public int port() {
        SelectorConnector open = connector;
        if (open == null) {
            throw new IllegalStateException("not started");
        }
        return open.getLocalPort();
    }

    /** Requests that have no complete answer yet, waiting ones included. */
    public int requestsUnderWay() {
        return traffic.underWay();
    }

    /** Whether {@link #drain} was called. */
    public boolean isDraining() {
        return traffic.isDraining();
    }

    /** Calls {@code listener} once when {@link #drain} is called; it lets go of what waits. */
    public void onDrain(Runnable listener) {
        traffic.onDrain(listener);
    }

    /**
     * Says that this process is about to stop: waiting requests are answered, and every answer closes its connection.
     * New requests are still answered. May come twice.
     */
    public void drain() {
        if (!traffic.isDraining()) {
            traffic.drain();
        }
    }

    /** Drains, closes the listener, waits for the requests under way, at most {@code grace}, and closes the rest. */
    @Override
    public void stop(Duration grace) {
        SelectorConnector open = connector;
        if (open == null || stopped) {
            return;
        }
        stopped = true;
        drain();
        open.close();
        try {
            if (!traffic.awaitQuiet(QUIET, grace)) {
                log.warn("{} requests were cut because they had no complete answer after {}", traffic.underWay(),
                        grace);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            open.getServer().stop();
        } catch (Exception e) {
            log.warn("the HTTP server did not stop cleanly", e);
        }
    }

    private void configure(JavalinConfig config, Routes routes) {
        config.startup.showJavalinBanner = false;
        config.startup.showOldJavalinVersionWarning = false;
        config.startup.startupWatcherEnabled = false;
        config.concurrency.useVirtualThreads = true;
        config.http.compressionStrategy = CompressionStrategy.NONE;
        config.http.generateEtags = false;
        config.http.prefer405over404 = true;
        config.http.asyncTimeout = 0;
        config.jetty.threadPool = threads();
        config.jetty.modifyServer(this::modify);
        config.jetty.modifyHttpConfiguration(HttpServer::modify);
        config.jetty.addConnector(this::connect);
        config.requestLogger.http((context, millis) -> measure(context, millis));
        for (Routes.Route route : routes.all()) {
            config.routes.addHttpHandler(route.method(), route.pattern(), context -> handle(context, route));
        }
        config.routes.exception(HttpResponseException.class, (e, context) -> refuse(context, refusal(e, context)));
        config.routes.exception(Exception.class, (e, context) -> refuse(context, e));
    }

    private void handle(Context context, Routes.Route route) {
        context.attribute(ROUTE, route.pattern());
        context.res().setHeader("Bellwether-Process", processName);
        traffic.answer(new Exchange(context, route.pattern(), exchange -> admit(exchange, route), traffic),
                exchange -> {
                    exchange.admit();
                    route.endpoint().handle(exchange);
                });
    }

    private Caller admit(Exchange exchange, Routes.Route route) {
        Caller caller = route.access() == Access.OPEN
                ? new Caller.Anonymous()
                : authenticator.authenticate(exchange.header("Authorization"));
        route.check(caller, exchange);
        return caller;
    }

    private void refuse(Context context, Exception why) {
        context.res().setHeader("Bellwether-Process", processName);
        traffic.fail(new Exchange(context, "", exchange -> exchange.caller(), traffic), why);
    }

    private static Exception refusal(HttpResponseException e, Context context) {
        return switch (e.getStatus()) {
            case 404 -> new Fault(FaultKind.NOT_FOUND, "there is nothing under this path");
            case 405 -> {
                String allowed = e.getDetails().getOrDefault("availableMethods", "");
                context.res().setHeader("Allow", allowed);
                yield new Fault(FaultKind.METHOD_NOT_ALLOWED, "this method is not allowed here"
                        + (allowed.isEmpty() ? "" : "; allowed are " + allowed));
            }
            default -> e;
        };
    }

    private void measure(Context context, float millis) {
        String route = context.attribute(ROUTE);
        meters.request(route == null ? "unmatched" : route, context.res().getStatus(),
                Duration.ofNanos((long) (millis * 1_000_000)));
    }

    private static QueuedThreadPool threads() {
        // Platform threads for acceptor and selectors alone; whatever may block runs on virtual ones.
        QueuedThreadPool pool = new QueuedThreadPool(64, 4);
        pool.setName("http");
        pool.setDaemon(true);
        pool.setVirtualThreadsExecutor(REQUESTS);
        return pool;
    }

    private void modify(Server server) {
        LowResourceMonitor monitor = server.getBean(LowResourceMonitor.class);
        if (monitor != null) {
            // It shortens idle time-outs when platform threads are busy; ours are few on purpose.
            server.removeBean(monitor);
        }
        Handler.Wrapper counter = traffic.counter();
        counter.setHandler(quick);
        server.setHandler(counter);
        server.setErrorHandler(new ErrorAnswers());
        server.setStopTimeout(0);
    }

    private static void modify(HttpConfiguration http) {
        http.setSendServerVersion(false);
        http.setSendXPoweredBy(false);
        http.setRequestHeaderSize(HEADER_BYTES);
        http.setResponseHeaderSize(HEADER_BYTES);
        http.setOutputBufferSize(OUTPUT_BUFFER_BYTES);
        // What fits is sent whole and with its length, also when it is written piece by piece.
        http.setOutputAggregationSize(OUTPUT_BUFFER_BYTES);
        // What it remembers of fields that it has parsed is a table of 100 KB for each connection, ten times what a
        // waiting poll costs without it.
        http.setHeaderCacheSize(0);
        http.setUriCompliance(ENCODED_KEYS);
    }

    private Connector connect(Server server, HttpConfiguration http) {
        SelectorConnector opened = new SelectorConnector(server, http);
        opened.setHost(bind);
        opened.setPort(port);
        opened.setIdleTimeout(IDLE_TIMEOUT.toMillis());
        opened.setAcceptQueueSize(BACKLOG);
        connector = opened;
        return opened;
    }
}
