package io.bellwether.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.bellwether.testing.Eventually;

/**
 * An answer that ends early, where nginx would keep it: nobody takes it for whole, nobody waits for the rest of it, nginx
 * does not keep it, and who asks next has the whole.
 */
class NginxTornTest {
    /** Far below the time after which nginx closes a connection that is idle. */
    private static final Duration AT_ONCE = Duration.ofSeconds(15);
    private static final String SEGMENT = "/v1/sets/a/segments/" + "b".repeat(64);
    private static final String BUNDLE = "/v1/sets/a/revisions/5/bundle.ndjson.gz";

    @TempDir
    private Path root;
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    @SuppressWarnings("NullAway.Init")
    private ServingStandIn process;
    @SuppressWarnings("NullAway.Init")
    private TestFront front;

    @BeforeEach
    void start() throws Exception {
        process = new ServingStandIn();
        front = new TestFront(root, List.of(process.port()), null, Map.of());
    }

    @AfterEach
    void stop() {
        front.close();
        process.close();
        http.close();
    }

    @Test
    void segment_whoseProcessDiesInTheMiddle_isNotTakenForWholeAndNotKept() throws Exception {
        process.torn.put(SEGMENT + " null", ServingStandIn.SEGMENT_BYTES / 2);
        assertCut(SEGMENT);
        assertSegment("MISS");
        assertSegment("HIT");
        assertThat(process.asked).containsExactly(SEGMENT + " null", SEGMENT + " null");
    }

    @Test
    void segment_whoseProcessDiesUnderTheFirstOfTwo_isWholeForTheSecond() throws Exception {
        process.torn.put(SEGMENT + " null", ServingStandIn.SEGMENT_BYTES / 2);
        CompletableFuture<HttpResponse<byte[]>> first = http.sendAsync(request(SEGMENT),
                HttpResponse.BodyHandlers.ofByteArray());
        Eventually.eventually("the first is being fetched", AT_ONCE, () -> !process.asked.isEmpty());
        assertThat(get(SEGMENT).body()).isEqualTo(ServingStandIn.segment("b".repeat(64)));
        assertThatThrownBy(first::get).hasRootCauseInstanceOf(IOException.class);
    }

    // Of a slice that ended early nginx kept silent: it went on with the next one, and then kept the connection, so that
    // the client waited 65 s for bytes that nobody would send.
    @ParameterizedTest
    @CsvSource({"0-4194303,1000", "4194304-8388607,1000000", "4194304-8388607,0", "8388608-12582911,1000000"})
    void bundle_whoseProcessDiesInASlice_endsAtOnceAndTheSliceIsNotKept(String slice, int bytes) throws Exception {
        process.torn.put(BUNDLE + " bytes=" + slice, bytes);
        assertCut(BUNDLE);
        byte[] whole = ServingStandIn.bundle("a", "5", process.epoch);
        for (int i = 0; i < 2; i++) {
            HttpResponse<byte[]> answer = get(BUNDLE);
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(Arrays.equals(answer.body(), whole)).isTrue();
        }
        assertThat(process.asked.stream().filter((BUNDLE + " bytes=" + slice)::equals)).as("the torn one").hasSize(2);
        assertThat(process.asked).as("the others once").hasSizeLessThanOrEqualTo(4);
    }

    @Test
    void partOfABundle_whoseProcessDiesInASlice_endsAtOnceAndIsWholeTheNextTime() throws Exception {
        process.torn.put(BUNDLE + " bytes=4194304-8388607", 1_000_000);
        assertCut(BUNDLE, "Range", "bytes=4194000-9000000");
        byte[] whole = ServingStandIn.bundle("a", "5", process.epoch);
        HttpResponse<byte[]> answer = get(BUNDLE, "Range", "bytes=4194000-9000000");
        assertThat(answer.statusCode()).isEqualTo(206);
        assertThat(answer.body()).isEqualTo(Arrays.copyOfRange(whole, 4_194_000, 9_000_001));
    }

    @Test
    void bundle_whoseProcessAnswersWithLessThanASlice_isNotTakenForWholeAndNotKept() throws Exception {
        process.shorter = 1_000;
        assertCut(BUNDLE);
        process.shorter = 0;
        assertThat(Arrays.equals(get(BUNDLE).body(), ServingStandIn.bundle("a", "5", process.epoch))).isTrue();
    }

    private void assertSegment(String cache) throws Exception {
        HttpResponse<byte[]> answer = get(SEGMENT);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Bellwether-Cache")).contains(cache);
        assertThat(answer.body()).isEqualTo(ServingStandIn.segment("b".repeat(64)));
    }

    private void assertCut(String path, String... headers) {
        long begun = System.nanoTime();
        assertThatThrownBy(() -> get(path, headers)).isInstanceOf(IOException.class)
                .isNotInstanceOf(HttpTimeoutException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(AT_ONCE);
    }

    private HttpRequest request(String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(front.url() + path))
                .timeout(Duration.ofSeconds(90)).header("Authorization", "Bearer edge:a");
        if (headers.length > 0) {
            request.headers(headers);
        }
        return request.build();
    }

    private HttpResponse<byte[]> get(String path, String... headers) throws Exception {
        return http.send(request(path, headers), HttpResponse.BodyHandlers.ofByteArray());
    }
}
