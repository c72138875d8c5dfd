package io.bellwether.source;

import static io.bellwether.source.Feeds.bytes;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import com.sun.net.httpserver.HttpExchange;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.bellwether.policy.Sha256;
import io.bellwether.source.Feeds.Policy;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class HttpSourceTest {
    private static final byte[] FEED = bytes("{\"key\":\"a\",\"body\":1}\n{\"key\":\"b\",\"body\":2}\n");
    private static final Map<String, String> SECRETS = Map.of("Authorization", "Bearer tops3cret", "X-Key", "k1k2k3k4");
    private static final Duration SOON = Duration.ofMillis(200);

    private Upstream upstream;
    private FeedSource source;

    @BeforeEach
    void start() throws Exception {
        upstream = new Upstream();
        source = new FeedSource(SourceAllow.parse(List.of("127.0.0.1")), InstantSource.system());
    }

    @AfterEach
    void stop() {
        source.close();
        upstream.close();
    }

    @Test
    void open_feed_isReadWithWhatIsKnownOfIt() throws Exception {
        upstream.on("/feed", 200, FEED, "ETag", "\"v1\"", "Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT");

        try (FeedStream stream = stream(SourceRequest.of(upstream.url("/feed?sig=x")).withHeaders(SECRETS))) {
            assertThat(stream.expectedBytes()).hasValue(FEED.length);
            assertThat(Feeds.readAll(stream)).containsExactly(new Policy("a", "1"), new Policy("b", "2"));
            assertThat(stream.validators()).isEqualTo(new Validators("\"v1\"", "Sun, 06 Nov 1994 08:49:37 GMT"));
            assertThat(stream.totals())
                    .isEqualTo(new FeedTotals(Sha256.of(FEED), Sha256.of(FEED), FEED.length, FEED.length, 2, 2));
            assertThat(stream.location()).isEqualTo(upstream.url("/feed?…"));
        }
        assertThat(upstream.seen()).singleElement().satisfies(seen -> {
            assertThat(seen.path()).isEqualTo("/feed?sig=x");
            assertThat(seen.headers().getFirst("Authorization")).isEqualTo("Bearer tops3cret");
            assertThat(seen.headers().getFirst("User-Agent")).isEqualTo("bellwether");
            assertThat(seen.headers().getFirst("Accept-Encoding")).isEqualTo("gzip, zstd");
            assertThat(seen.headers()).doesNotContainKeys("If-none-match", "If-modified-since", "Upgrade");
        });
    }

    @Test
    void open_largeChunkedFeed_isReadWhole() throws Exception {
        int times = 200_000;
        upstream.on("/feed", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            for (int i = 0; i < times; i += 1_000) {
                exchange.getResponseBody().write("{\"key\":\"a\",\"body\":1}\n"
                        .repeat(1_000).getBytes(UTF_8));
            }
            exchange.close();
        });
        try (FeedStream stream = stream(SourceRequest.of(upstream.url("/feed")))) {
            assertThat(Feeds.readAll(stream)).hasSize(times);
            assertThat(stream.expectedBytes()).isEmpty();
        }
    }

    @Test
    void open_conditional_isNotModifiedWhenTheUpstreamSaysSo() throws Exception {
        upstream.on("/feed", 304, new byte[0], "ETag", "\"v2\"");
        Validators known = new Validators("W/\"v1\"", "Sun, 06 Nov 1994 08:49:37 GMT");

        Opened opened = source.open(SourceRequest.of(upstream.url("/feed")).withValidators(known));

        assertThat(opened).isEqualTo(new Opened.NotModified(new Validators("\"v2\"", known.lastModified())));
        assertThat(upstream.seen()).singleElement().satisfies(seen -> {
            assertThat(seen.headers().getFirst("If-None-Match")).isEqualTo("W/\"v1\"");
            assertThat(seen.headers().getFirst("If-Modified-Since")).isEqualTo("Sun, 06 Nov 1994 08:49:37 GMT");
        });
        assertThat(failure(SourceRequest.of(upstream.url("/feed"))).problem())
                .as("304 that nobody asked for").isEqualTo(FeedProblem.HTTP_STATUS);
    }

    @Test
    void open_compressedInTransit_isDecoded() throws Exception {
        upstream.on("/gzip", 200, Feeds.gzip(FEED), "Content-Encoding", "gzip");
        upstream.on("/zstd", 200, Feeds.zstd(FEED), "Content-Encoding", "zstd");
        upstream.on("/feed.gz", 200, Feeds.gzip(FEED), "Content-Type", "application/gzip");
        upstream.on("/lie", 200, FEED, "Content-Encoding", "gzip");
        for (String path : List.of("/gzip", "/zstd", "/feed.gz")) {
            try (FeedStream stream = stream(SourceRequest.of(upstream.url(path)))) {
                assertThat(Feeds.readAll(stream)).hasSize(2);
            }
        }
        assertThat(failure(SourceRequest.of(upstream.url("/lie"))).problem()).isEqualTo(FeedProblem.BAD_COMPRESSION);
    }

    @ParameterizedTest
    @ValueSource(ints = {201, 204, 206, 300, 400, 401, 404, 429, 500, 503})
    void open_otherStatus_isAFailureThatNamesIt(int status) throws Exception {
        upstream.on("/feed", status, status == 204 ? new byte[0] : FEED);

        FeedException failure = failure(SourceRequest.of(upstream.url("/feed")));
        assertThat(failure.problem()).isEqualTo(FeedProblem.HTTP_STATUS);
        assertThat(failure).hasMessageContaining("answered " + status);
        assertThat(failure.problem().isContent()).isFalse();
    }

    @Test
    void open_errorPage_isQuotedInAFewCleanWords() throws Exception {
        upstream.on("/html", 502,
                bytes("<html><head><title>502\r\nBad Gateway</title><style>b{x:y}</style></head>\u0007"
                        + "<body><script>evil()</script><h1>Oops\u202e</h1>" + "very long ".repeat(100)
                        + "</body></html>"));
        upstream.on("/echo", 401, bytes("{\"error\":\"bad token tops3cret, sent Authorization: Bearer tops3cret\"}"));
        upstream.on("/gzip", 500, Feeds.gzip(FEED), "Content-Encoding", "gzip");

        assertThat(failure(SourceRequest.of(upstream.url("/html"))))
                .hasMessageContaining("502 Bad Gateway Oops very long")
                .hasMessageNotContainingAny("<", "evil", "\u0007", "\u202e", "\n")
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(300));
        assertThat(failure(SourceRequest.of(upstream.url("/echo")).withHeaders(SECRETS)))
                .hasMessageContaining("bad token ***").hasMessageNotContaining("tops3cret");
        assertThat(failure(SourceRequest.of(upstream.url("/gzip")))).hasMessageEndingWith("answered 500");
    }

    @Test
    void next_htmlWithStatus200_isRefusedAsAWebPage() throws Exception {
        upstream.on("/feed", 200, bytes("<!doctype html>\n<title>Please sign in</title>"));
        try (FeedStream stream = stream(SourceRequest.of(upstream.url("/feed")))) {
            FeedException refusal = catchThrowableOfType(FeedException.class, stream::next);
            assertThat(refusal.problem()).isEqualTo(FeedProblem.HTML);
            assertThat(refusal).hasMessageContaining("Please sign in");
        }
    }

    /** The upstream goes only once the answer has begun to be read: cut before, there was no answer at all. */
    @Test
    void next_contentLengthNotReached_isBrokenOff() throws Exception {
        Semaphore begun = new Semaphore(0);
        upstream.on("/feed", exchange -> sendHalf(exchange, FEED.length * 2L, begun));
        upstream.on("/chunked", exchange -> sendHalf(exchange, 0, begun));
        for (String path : List.of("/feed", "/chunked")) {
            try (FeedStream stream = stream(SourceRequest.of(upstream.url(path)))) {
                assertThat(stream.next()).isNotNull();
                begun.release();
                FeedException failure = catchThrowableOfType(FeedException.class, () -> Feeds.readAll(stream));
                assertThat(failure).isNotNull();
                assertThat(failure.problem()).as(path).isEqualTo(FeedProblem.BROKEN_OFF);
                assertThat(failure).hasMessageContaining("after " + FEED.length);
            }
        }
    }

    private static void sendHalf(HttpExchange exchange, long length, Semaphore begun) throws IOException {
        exchange.sendResponseHeaders(200, length);
        exchange.getResponseBody().write(FEED);
        exchange.getResponseBody().flush();
        begun.acquireUninterruptibly();
        throw new IOException("enough");
    }

    @Test
    void open_noAnswer_isUnreachable() throws Exception {
        upstream.on("/feed", exchange -> {
            throw new IOException("go away");
        });
        assertThat(failure(SourceRequest.of(upstream.url("/feed"))).problem()).isEqualTo(FeedProblem.UNREACHABLE);
        String url = upstream.url("/feed");
        upstream.close();
        FeedException failure = failure(SourceRequest.of(url));
        assertThat(failure.problem()).isEqualTo(FeedProblem.UNREACHABLE);
        assertThat(failure).hasMessageContaining(url);
    }

    @Test
    void open_slowUpstream_timesOutAtEachStage() throws Exception {
        upstream.on("/mute", exchange -> upstream.hang());
        upstream.on("/stall", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(FEED);
            exchange.getResponseBody().flush();
            upstream.hang();
        });
        upstream.on("/drip", this::drip);
        SourceTimeouts slow = SourceTimeouts.DEFAULT;

        assertThat(failure(timed("/mute", new SourceTimeouts(SOON, slow.stall(), slow.whole()))))
                .hasMessageContaining("did not answer within 200 ms");
        assertThat(failure(timed("/stall", new SourceTimeouts(slow.firstByte(), Duration.ofSeconds(1), slow.whole()))))
                .hasMessageContaining("no further byte within 1 s").hasMessageContaining("line 3");
        for (String path : List.of("/mute", "/stall", "/drip")) {
            FeedException failure = failure(timed(path, slow.within(SOON)));
            assertThat(failure.problem()).isEqualTo(FeedProblem.TIMEOUT);
            assertThat(failure).hasMessageContaining("longer than 200 ms in all");
        }
    }

    private void drip(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, 0);
        while (!Thread.currentThread().isInterrupted()) {
            exchange.getResponseBody().write(FEED);
            exchange.getResponseBody().flush();
        }
    }

    private SourceRequest timed(String path, SourceTimeouts timeouts) {
        return SourceRequest.of(upstream.url(path)).withTimeouts(timeouts);
    }

    @Test
    void open_hostThatTakesNoConnection_timesOut() throws Exception {
        List<Socket> queue = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                FeedSource impatient = new FeedSource(SourceAllow.parse(List.of("127.0.0.1")), InstantSource.system(),
                        SOON,
                        null)) {
            // Nobody accepts: the kernel answers until its queue for this socket is full, then drops what comes.
            for (int i = 0; i < 4; i++) {
                Socket socket = new Socket();
                queue.add(socket);
                var _ = Thread.startVirtualThread(() -> connect(socket, full));
            }
            SourceRequest request = SourceRequest.of("http://127.0.0.1:" + full.getLocalPort() + "/")
                    .withTimeouts(new SourceTimeouts(Duration.ofSeconds(2), SOON, Duration.ofSeconds(10)));
            FeedException failure = catchThrowableOfType(FeedException.class, () -> impatient.open(request));
            assertThat(failure.problem()).isEqualTo(FeedProblem.TIMEOUT);
        } finally {
            for (Socket socket : queue) {
                socket.close();
            }
        }
    }

    private static void connect(Socket socket, ServerSocket to) {
        try {
            socket.connect(to.getLocalSocketAddress());
        } catch (IOException e) {
            // Some of them have to stay outside.
        }
    }

    @Test
    void next_interrupted_stops() throws Exception {
        upstream.on("/stall", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(FEED);
            exchange.getResponseBody().flush();
            upstream.hang();
        });
        upstream.on("/mute", exchange -> upstream.hang());
        for (String path : List.of("/stall", "/mute")) {
            Thread.currentThread().interrupt();
            FeedException failure = failure(SourceRequest.of(upstream.url(path)));
            assertThat(failure.problem()).isEqualTo(FeedProblem.STOPPED);
            assertThat(Thread.interrupted()).as("the interrupt is kept for whoever looks next").isTrue();
        }
    }

    @Test
    void open_unusableRequest_isRefusedWithoutQuotingSecrets() throws Exception {
        upstream.on("/feed", 200, FEED);
        for (Map<String, String> headers : List.of(Map.of("Range", "bytes=0-1"), Map.of("Host", "x"),
                Map.of("if-none-match", "\"x\""), Map.of("Content-Length", "1"), Map.of("A b", "tops3cret"),
                Map.of("X-Key", "tops3cret\r\nX-Other: 1"))) {
            FeedException refusal = failure(SourceRequest.of(upstream.url("/feed")).withHeaders(headers));
            assertThat(refusal.problem()).isEqualTo(FeedProblem.BAD_REQUEST);
            assertThat(refusal).hasMessageContaining(headers.keySet().iterator().next()).hasNoCause()
                    .hasMessageNotContaining("tops3cret");
        }
        assertThat(upstream.seen()).isEmpty();
    }

    @Test
    void open_feedLargerThanAllowed_isRefusedBeforeItIsRead() throws Exception {
        upstream.on("/feed", 200, FEED);
        SourceRequest request = SourceRequest.of(upstream.url("/feed"));
        assertThat(failure(request.withLimits(FeedLimits.DEFAULT.withFeedBytes(FEED.length - 1, 1 << 20))).problem())
                .isEqualTo(FeedProblem.TOO_LARGE);
        try (FeedStream stream = stream(
                request.withLimits(FeedLimits.DEFAULT.withFeedBytes(FEED.length, FEED.length)))) {
            assertThat(Feeds.readAll(stream)).hasSize(2);
        }
    }

    @Test
    void close_withAFeedHalfRead_endsTheTransferAndTheThreads() throws Exception {
        upstream.on("/drip", this::drip);
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        try (FeedSource other = new FeedSource(SourceAllow.parse(List.of("127.0.0.1")), InstantSource.system());
                FeedStream stream = (FeedStream) other.open(SourceRequest.of(upstream.url("/drip")))) {
            assertThat(stream.next()).isNotNull();
        }
        assertThat(Thread.getAllStackTraces().keySet()).filteredOn(thread -> !before.contains(thread))
                .extracting(Thread::getName).noneMatch(name -> name.startsWith("HttpClient"));
    }

    private FeedStream stream(SourceRequest request) throws FeedException {
        return switch (source.open(request)) {
            case FeedStream stream -> stream;
            case Opened.NotModified not -> throw new AssertionError(not);
        };
    }

    private FeedException failure(SourceRequest request) {
        FeedException failure = catchThrowableOfType(FeedException.class, () -> {
            try (FeedStream stream = stream(request)) {
                for (FeedPolicy policy = stream.next(); policy != null; policy = stream.next()) {
                    assertThat(policy.keyLength()).isEqualTo(1);
                }
            }
        });
        assertThat(failure).isNotNull();
        return failure;
    }
}
