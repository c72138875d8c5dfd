package io.bellwether.cluster;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What nginx keeps of segments and bundles, whom it answers from there, and with what. */
class NginxCacheTest {
    /** After which a token that was revoked opens nothing, whatever fails. */
    private static final Duration REVOKED_WITHIN = Duration.ofSeconds(10);
    private static final String OTHER_EPOCH = "22222222-2222-2222-2222-222222222222";
    private static final String TOKEN = "Bearer edge:a,shared-1";
    private static final AtomicInteger NEXT = new AtomicInteger();

    @TempDir
    private Path root;
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    @SuppressWarnings("NullAway.Init")
    private List<ServingStandIn> processes;
    @SuppressWarnings("NullAway.Init")
    private TestFront front;

    @BeforeEach
    void start() throws Exception {
        processes = List.of(new ServingStandIn(), new ServingStandIn());
        front = new TestFront(root, processes.stream().map(ServingStandIn::port).toList(), null, Map.of());
    }

    @AfterEach
    void stop() throws Exception {
        front.close();
        processes.forEach(ServingStandIn::close);
        http.close();
    }

    @Test
    void segment_askedAgain_isFetchedOnceAndAnsweredAlike() throws Exception {
        String path = segment("a");
        HttpResponse<byte[]> first = get(path);
        HttpResponse<byte[]> again = get(path);
        HttpResponse<byte[]> head = send(request(path).HEAD());
        assertThat(List.of(cache(first), cache(again), cache(head))).containsExactly("MISS", "HIT", "HIT");
        for (HttpResponse<byte[]> answer : List.of(first, again, head)) {
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(field(answer, "ETag")).isEqualTo('"' + name(path) + '"');
            assertThat(field(answer, "Content-Length")).isEqualTo(Integer.toString(ServingStandIn.SEGMENT_BYTES));
            assertThat(field(answer, "Cache-Control")).isEqualTo("private, max-age=31536000, immutable");
            assertThat(field(answer, "Accept-Ranges")).isEqualTo("bytes");
            assertThat(field(answer, "Bellwether-Epoch")).isEqualTo(processes.getFirst().epoch);
            // Of the moment, and not of the one when it was stored.
            assertThat(field(answer, "Bellwether-Revision")).isEqualTo("7");
            assertThat(field(answer, "Bellwether-Process")).startsWith("stand-in-");
        }
        assertThat(again.body()).isEqualTo(ServingStandIn.segment(name(path)));
        assertThat(get(path, "If-None-Match", '"' + name(path) + '"').statusCode()).isEqualTo(304);
        assertThat(get(path + "?x=1").statusCode()).isEqualTo(200);
        assertThat(get(path.replace("/a/", "/%61/")).statusCode()).isEqualTo(200);
        assertThat(get(path, "Range", "bytes=5-9").body())
                .isEqualTo(Arrays.copyOfRange(ServingStandIn.segment(name(path)), 5, 10));
        assertThat(asked()).containsExactly(path + " null");
        assertThat(front.accessLine(field(again, "X-Request-Id")).path("cache").asText()).isEqualTo("HIT");
    }

    @ParameterizedTest
    @ValueSource(strings = {"segment", "bundle"})
    void cachedObject_withoutARightToken_isRefusedAsTheProcessesDo(String kind) throws Exception {
        String path = kind.equals("segment") ? segment("a") : bundle("a", "5");
        assertThat(cache(get(path))).isEqualTo("MISS");
        assertThat(cache(get(path))).isEqualTo("HIT");
        for (String method : List.of("GET", "HEAD")) {
            HttpRequest.Builder none = HttpRequest.newBuilder(URI.create(front.url() + path)).method(method,
                    HttpRequest.BodyPublishers.noBody());
            HttpResponse<byte[]> without = send(none);
            assertThat(without.statusCode()).isEqualTo(401);
            HttpResponse<byte[]> wrong = send(none.copy().header("Authorization", "Bearer edge:b"));
            assertThat(wrong.statusCode()).isEqualTo(403);
            if (method.equals("GET")) {
                assertThat(without.headers().allValues("WWW-Authenticate")).hasSize(1);
                assertThat(text(without)).contains("\"by\":\"process\"");
                assertThat(text(wrong)).contains("\"by\":\"process\"");
            }
        }
    }

    @Test
    void cachedObject_whoseTokenWasRevoked_isRefusedSoon_alsoWhileAllProcessesAreAway() throws Exception {
        String path = segment("a");
        String soon = "Bearer later:a";
        get(path);
        assertThat(get(path, soon).statusCode()).isEqualTo(200);
        processes.forEach(p -> p.revoked.addAll(List.of(TOKEN, soon)));
        eventually("the revoked token is refused", REVOKED_WITHIN, () -> get(path).statusCode() == 401);
        HttpResponse<byte[]> refused = get(path);
        assertThat(refused.headers().allValues("WWW-Authenticate")).hasSize(1);
        processes.forEach(ServingStandIn::close);
        eventually("nobody can be asked", REVOKED_WITHIN, () -> get(path, soon).statusCode() == 503);
    }

    @Test
    void cachedObject_whileNoProcessAnswers_isForWhoWasJustLetInAlone() throws Exception {
        String path = segment("a");
        String never = bundle("a", "6");
        get(path);
        processes.forEach(ServingStandIn::close);
        assertThat(cache(get(path))).isEqualTo("HIT");
        assertThat(get(path, "Bearer unknown:a").statusCode()).isEqualTo(503);
        assertThat(send(HttpRequest.newBuilder(URI.create(front.url() + path))).statusCode()).isEqualTo(503);
        HttpResponse<byte[]> none = get(never);
        assertThat(none.statusCode()).isEqualTo(503);
        assertThat(field(none, "Retry-After")).isEqualTo("1");
    }

    @Test
    void segment_thatTwoSetsShare_isOpenedByTheTokenOfEachUnderItsOwnPathAlone() throws Exception {
        String one = segment("shared-1");
        String two = one.replace("shared-1", "shared-2");
        String other = "Bearer other:shared-2";
        assertThat(get(one).statusCode()).isEqualTo(200);
        assertThat(get(two, other).statusCode()).isEqualTo(200);
        assertThat(get(one).statusCode()).isEqualTo(200);
        assertThat(get(two).statusCode()).isEqualTo(403);
        assertThat(get(one, other).statusCode()).isEqualTo(403);
    }

    @Test
    void bundle_askedInParts_isRightAndCostsItsSlicesOnly() throws Exception {
        String path = bundle("a", "7");
        byte[] whole = ServingStandIn.bundle("a", "7", processes.getFirst().epoch);
        String etag = "\"11111111.r7\"";
        assertPart(get(path, "Range", "bytes=9000000-9000004"), whole, 9_000_000, 9_000_005);
        assertThat(asked()).containsExactly(path + " bytes=8388608-12582911");
        assertPart(get(path, "Range", "bytes=4194300-4194310"), whole, 4_194_300, 4_194_311);
        assertPart(get(path, "Range", "bytes=-5"), whole, whole.length - 5, whole.length);
        assertPart(get(path, "Range", "bytes=9999990-99999999"), whole, 9_999_990, whole.length);
        assertPart(get(path, "Range", "bytes=9999990-", "If-Range", etag), whole, 9_999_990, whole.length);
        HttpResponse<byte[]> changed = get(path, "Range", "bytes=9999990-", "If-Range", "\"11111111.r6\"");
        assertThat(changed.statusCode()).isEqualTo(200);
        assertThat(changed.body()).isEqualTo(whole);
        HttpResponse<byte[]> head = send(request(path).HEAD());
        assertThat(List.of(field(head, "Content-Length"), field(head, "ETag"), field(head, "Accept-Ranges")))
                .containsExactly("10000000", etag, "bytes");
        assertThat(get(path, "If-None-Match", etag).statusCode()).isEqualTo(304);
        assertThat(asked()).as("each slice once").hasSize(3).doesNotHaveDuplicates();
    }

    // nginx answers 416 by itself when it has what the range lies beyond: as HTML, and over a cached answer of known
    // length even with the status line of that, 200.
    @Test
    void range_beyondTheEnd_is416WithTheLength() throws Exception {
        String segment = segment("a");
        String bundle = bundle("a", "7");
        for (int i = 0; i < 2; i++) {
            assertUnsatisfiable(get(segment, "Range", "bytes=40000-"), ServingStandIn.SEGMENT_BYTES);
            assertUnsatisfiable(get(bundle, "Range", "bytes=10000000-"), ServingStandIn.BUNDLE_BYTES);
            assertUnsatisfiable(get(bundle, "Range", "bytes=100000000-"), ServingStandIn.BUNDLE_BYTES);
        }
        assertThat(get(segment).body()).isEqualTo(ServingStandIn.segment(name(segment)));
    }

    // It has no first slice: the process answers 416 to the question for it.
    @Test
    void bundle_withoutAnyByte_isEmpty() throws Exception {
        HttpResponse<byte[]> answer = get(bundle("a", ServingStandIn.EMPTY));
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEmpty();
        assertThat(answer.headers().allValues("ETag")).containsExactly("\"11111111.r88\"");
    }

    @Test
    void bundle_thatIsNotKept_isNotStored() throws Exception {
        for (int i = 0; i < 2; i++) {
            HttpResponse<byte[]> gone = get(bundle("a", ServingStandIn.GONE));
            assertThat(gone.statusCode()).isEqualTo(410);
            assertThat(text(gone)).contains("\"by\":\"process\"");
        }
        assertThat(asked()).hasSize(2);
    }

    @Test
    void bundle_wantedByManyAtOnce_isFetchedOnceAndInSlices() throws Exception {
        String path = bundle("a", "9");
        List<CompletableFuture<HttpResponse<byte[]>>> all = Stream
                .generate(() -> http.sendAsync(request(path).build(), HttpResponse.BodyHandlers.ofByteArray())).limit(8)
                .toList();
        byte[] whole = ServingStandIn.bundle("a", "9", processes.getFirst().epoch);
        for (CompletableFuture<HttpResponse<byte[]>> one : all) {
            HttpResponse<byte[]> answer = one.get();
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(field(answer, "Content-Length")).isEqualTo("10000000");
            assertThat(Arrays.equals(answer.body(), whole)).isTrue();
        }
        assertThat(asked()).containsExactlyInAnyOrder(path + " bytes=0-4194303", path + " bytes=4194304-8388607",
                path + " bytes=8388608-12582911");
    }

    // After a restore revision 7 is something else. While one process knows it and the other does not yet, a client may
    // meet either, as without a cache; what must not happen is that the old one's answer is stored as the new one's.
    @Test
    void bundle_ofAnEpochThatIsOver_isServedNoMore() throws Exception {
        String path = bundle("a", "7");
        byte[] before = get(path).body();
        processes.getFirst().epoch = OTHER_EPOCH;
        Set<String> met = new HashSet<>();
        eventually("both epochs are met", Duration.ofSeconds(20), () -> {
            HttpResponse<byte[]> answer = get(path, "Range", "bytes=0-99");
            String epoch = field(answer, "Bellwether-Epoch");
            assertThat(field(answer, "ETag")).startsWith('"' + epoch.substring(0, 8));
            assertThat(answer.body())
                    .isEqualTo(Arrays.copyOf(ServingStandIn.bundle("a", "7", epoch), 100));
            met.add(epoch);
            return met.size() == 2;
        });
        processes.getLast().epoch = OTHER_EPOCH;
        eventually("the new epoch", REVOKED_WITHIN,
                () -> OTHER_EPOCH.equals(field(get(path, "Range", "bytes=0-0"), "Bellwether-Epoch")));
        for (int i = 0; i < 4; i++) {
            byte[] after = get(path).body();
            assertThat(after).isNotEqualTo(before);
            assertThat(Arrays.equals(after, ServingStandIn.bundle("a", "7", OTHER_EPOCH))).isTrue();
        }
    }

    private void assertPart(HttpResponse<byte[]> answer, byte[] whole, int from, int to) {
        assertThat(answer.statusCode()).isEqualTo(206);
        assertThat(field(answer, "Content-Range")).isEqualTo("bytes " + from + "-" + (to - 1) + "/" + whole.length);
        assertThat(field(answer, "ETag")).isEqualTo("\"11111111.r7\"");
        assertThat(answer.body()).isEqualTo(Arrays.copyOfRange(whole, from, to));
    }

    private void assertUnsatisfiable(HttpResponse<byte[]> answer, int length) {
        assertThat(answer.statusCode()).isEqualTo(416);
        assertThat(answer.headers().allValues("Content-Range")).containsExactly("bytes */" + length);
        assertThat(answer.headers().allValues("Content-Type")).containsExactly("application/problem+json");
        assertThat(answer.headers().allValues("ETag")).isEmpty();
        assertThat(answer.headers().allValues("Bellwether-Process")).hasSize(1);
        assertThat(text(answer)).contains("\"status\":416");
    }

    /** What the processes were asked for, access apart. */
    private List<String> asked() {
        List<String> all = new ArrayList<>();
        processes.forEach(p -> all.addAll(p.asked));
        return all;
    }

    private static String segment(String set) {
        return "/v1/sets/" + set + "/segments/" + String.format(Locale.ROOT, "%064x", NEXT.incrementAndGet());
    }

    private static String bundle(String set, String revision) {
        return "/v1/sets/" + set + "/revisions/" + revision + "/bundle.ndjson.gz";
    }

    private static String name(String segment) {
        return segment.substring(segment.lastIndexOf('/') + 1);
    }

    private static String text(HttpResponse<byte[]> answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    private static String cache(HttpResponse<?> answer) {
        return field(answer, "Bellwether-Cache");
    }

    private static String field(HttpResponse<?> answer, String name) {
        return answer.headers().firstValue(name).orElse("");
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(front.url() + path)).timeout(Duration.ofSeconds(30))
                .header("Authorization", TOKEN);
    }

    private HttpResponse<byte[]> get(String path) throws Exception {
        return send(request(path));
    }

    private HttpResponse<byte[]> get(String path, String token) throws Exception {
        return send(HttpRequest.newBuilder(URI.create(front.url() + path)).header("Authorization", token));
    }

    private HttpResponse<byte[]> get(String path, String... headers) throws Exception {
        return send(request(path).headers(headers));
    }

    private HttpResponse<byte[]> send(HttpRequest.Builder request) throws Exception {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }
}
