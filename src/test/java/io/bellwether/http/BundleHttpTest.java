package io.bellwether.http;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.bellwether.policy.SegmentRef;
import io.bellwether.policy.Sha256;

class BundleHttpTest {
    private static final String BUNDLE = "/v1/sets/firewall/revisions/1/bundle.ndjson.gz";

    @TempDir
    private Path dataDir;

    private ServingFixture serving;

    @BeforeEach
    void start() throws Exception {
        serving = new ServingFixture(dataDir);
        serving.firewall.publish(policies(1, 300));
        serving.other.publish(policies(2, 20));
    }

    @AfterEach
    void stop() throws Exception {
        serving.close();
    }

    private static Map<String, String> policies(int seed, int count) {
        Random random = new Random(seed);
        Map<String, String> policies = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            policies.put("policy-" + random.nextInt(1_000_000), "{\"n\": " + random.nextLong() + "}");
        }
        return policies;
    }

    @Test
    void bundle_ofARevision_isItsSegmentsInOrder() throws Exception {
        RawHttp.Answer answer = serving.get(BUNDLE, "Accept-Encoding: gzip");
        byte[] expected = serving.firewall.bundle();
        assertThat(serving.firewall.manifest().segments()).hasSizeGreaterThan(10);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo(expected);
        assertThat(answer.header("content-type")).isEqualTo("application/gzip");
        assertThat(answer.header("content-length")).isEqualTo(Integer.toString(expected.length));
        assertThat(answer.header("accept-ranges")).isEqualTo("bytes");
        assertThat(answer.header("cache-control")).isEqualTo("private, no-cache");
        assertThat(answer.header("etag")).isEqualTo(serving.tag(serving.firewall));
        assertThat(answer.header("bellwether-revision")).isEqualTo("1");
        assertThat(answer.headers()).doesNotContainKeys("content-encoding", "transfer-encoding", "vary");
        assertThat(new GZIPInputStream(new ByteArrayInputStream(answer.body())).readAllBytes())
                .isEqualTo(serving.firewall.lines());
    }

    @Test
    void bundle_ofTheHead_redirectsWithoutATag() throws Exception {
        RawHttp.Answer answer = serving.get("/v1/sets/firewall/bundle.ndjson.gz", "If-None-Match: \"\"");
        assertThat(answer.status()).isEqualTo(307);
        assertThat(answer.header("location")).isEqualTo(BUNDLE);
        assertThat(answer.header("cache-control")).isEqualTo("private, no-cache");
        assertThat(answer.headers()).doesNotContainKey("etag");
        RawHttp.Answer same = serving.get("/v1/sets/firewall/bundle.ndjson.gz",
                "If-None-Match: " + serving.get(BUNDLE).header("etag"));
        assertThat(same.status()).isEqualTo(304);
        assertThat(same.header("etag")).isEqualTo(serving.tag(serving.firewall));
        assertThat(serving.ask("HEAD", "/v1/sets/firewall/bundle.ndjson.gz").status()).isEqualTo(307);
    }

    @Test
    void range_ofAnyForm_isThatPart() throws Exception {
        byte[] all = serving.firewall.bundle();
        int n = all.length;
        int edge = (int) serving.firewall.manifest().segments().getFirst().bytes();
        assertPart("bytes=0-0", all, 0, 1);
        assertPart("bytes=0-", all, 0, n);
        assertPart("bytes=5-9", all, 5, 10);
        assertPart("BYTES=5-9", all, 5, 10);
        assertPart("bytes=" + (edge - 1) + "-" + edge, all, edge - 1, edge + 1);
        assertPart("bytes=" + edge + "-" + (edge + 700), all, edge, edge + 701);
        assertPart("bytes=" + (n - 1) + "-", all, n - 1, n);
        assertPart("bytes=-1", all, n - 1, n);
        assertPart("bytes=-" + (n + 5), all, 0, n);
        assertPart("bytes=3-" + (n + 100), all, 3, n);
        for (String whole : List.of("bytes=0-1,4-5", "bytes=9-5", "bytes=x", "lines=0-1", "bytes=-", "bytes=1")) {
            RawHttp.Answer answer = serving.get(BUNDLE, "Range: " + whole);
            assertThat(answer.status()).as(whole).isEqualTo(200);
            assertThat(answer.body()).as(whole).isEqualTo(all);
        }
        for (String none : List.of("bytes=" + n + "-", "bytes=" + n + "-" + (n + 5), "bytes=-0")) {
            RawHttp.Answer answer = serving.get(BUNDLE, "Range: " + none);
            assertThat(answer.status()).as(none).isEqualTo(416);
            assertThat(answer.header("content-range")).as(none).isEqualTo("bytes */" + n);
            assertThat(answer.text()).as(none).contains("/problems/range-not-satisfiable");
        }
        RawHttp.Answer head = serving.ask("HEAD", BUNDLE, "Range: bytes=5-9");
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.header("content-length")).isEqualTo(Integer.toString(n));
    }

    private void assertPart(String range, byte[] all, int from, int to) throws IOException {
        RawHttp.Answer answer = serving.get(BUNDLE, "Range: " + range);
        assertThat(answer.status()).as(range).isEqualTo(206);
        assertThat(answer.header("content-range")).as(range)
                .isEqualTo("bytes " + from + "-" + (to - 1) + "/" + all.length);
        assertThat(answer.body()).as(range).isEqualTo(Arrays.copyOfRange(all, from, to));
        assertThat(answer.header("etag")).isEqualTo(serving.tag(serving.firewall));
    }

    @Test
    void ifRange_anotherTagOrAWeakOne_isTheWhole() throws Exception {
        String tag = serving.tag(serving.firewall);
        assertThat(serving.get(BUNDLE, "Range: bytes=5-9", "If-Range: " + tag).status()).isEqualTo(206);
        for (String other : List.of("W/" + tag, "\"x\"", "Wed, 21 Oct 2015 07:28:00 GMT")) {
            assertThat(serving.get(BUNDLE, "Range: bytes=5-9", "If-Range: " + other).status()).as(other).isEqualTo(200);
        }
        assertThat(serving.get(BUNDLE, "Range: bytes=5-9", "If-None-Match: " + tag).status()).isEqualTo(304);
    }

    @Test
    void segment_ofThisSet_isImmutableAndAnotherSetsIsNotFound() throws Exception {
        for (SegmentRef ref : serving.firewall.manifest().segments()) {
            RawHttp.Answer answer = serving.get("/v1/sets/firewall/segments/" + ref.sha256());
            assertThat(answer.status()).isEqualTo(200);
            assertThat(Sha256.of(answer.body())).isEqualTo(ref.sha256());
            assertThat(answer.header("etag")).isEqualTo("\"" + ref.sha256() + "\"");
            assertThat(answer.header("content-type")).isEqualTo("application/gzip");
            assertThat(answer.header("cache-control")).isEqualTo("private, max-age=31536000, immutable");
        }
        String one = "/v1/sets/firewall/segments/" + serving.firewall.manifest().segments().getFirst().sha256();
        assertThat(serving.get(one, "Range: bytes=0-9").body()).hasSize(10);
        assertThat(serving.ask("HEAD", one).status()).isEqualTo(200);
        String others = serving.other.manifest().segments().getFirst().sha256().hex();
        for (String bad : List.of(others, "x", others.toUpperCase(Locale.ROOT), "0".repeat(64))) {
            assertThat(serving.get("/v1/sets/firewall/segments/" + bad).status()).as(bad).isEqualTo(404);
        }
    }

    @Test
    void segment_ofAnEarlierRevisionOrItsChanges_isThereUntilTheRevisionIsGone() throws Exception {
        String first = serving.firewall.manifest().segments().getFirst().sha256().hex();
        Map<String, String> next = new TreeMap<>(serving.firewall.content());
        next.replaceAll((key, body) -> "0");
        serving.firewall.publish(next);
        assertThat(serving.get("/v1/sets/firewall/segments/" + first).status()).isEqualTo(200);
        assertThat(serving.get(BUNDLE).status()).isEqualTo(200);
        serving.firewall.retainFrom(2);
        eventually("it is gone", Duration.ofSeconds(5),
                () -> serving.get("/v1/sets/firewall/segments/" + first).status() == 404);
        assertThat(serving.get(BUNDLE).status()).isEqualTo(410);
    }

    @Test
    void bundle_databaseAway_isServedFromTheHost() throws Exception {
        byte[] expected = serving.firewall.bundle();
        assertThat(serving.get(BUNDLE).body()).isEqualTo(expected);
        serving.proxy.cut();
        assertThat(serving.get(BUNDLE).body()).isEqualTo(expected);
        deleteSegments();
        RawHttp.Answer nowhere = serving.get(BUNDLE);
        assertThat(nowhere.status()).isEqualTo(503);
        assertThat(nowhere.headers()).doesNotContainKeys("etag", "accept-ranges").containsKey("retry-after");
    }

    // A tag that is made of the body costs the body; and without the database there may be none.
    @Test
    void conditionalGet_contentsNowhereAtHand_is304() throws Exception {
        String segment = "/v1/sets/firewall/segments/" + serving.firewall.manifest().segments().getFirst().sha256();
        String policy = "/v1/sets/firewall/policies/" + serving.firewall.content().keySet().iterator().next();
        Map<String, String> tags = new TreeMap<>();
        for (String path : List.of(BUNDLE, segment, policy, "/v1/sets/firewall/policies",
                "/v1/sets/firewall/changes?since=0")) {
            tags.put(path, serving.get(path).header("etag"));
        }
        deleteSegments();
        serving.proxy.cut();
        for (Map.Entry<String, String> one : tags.entrySet()) {
            assertThat(serving.get(one.getKey(), "If-None-Match: " + one.getValue()).status()).as(one.getKey())
                    .isEqualTo(304);
        }
        assertThat(serving.get(BUNDLE).status()).isEqualTo(503);
    }

    // What changes has no parts: curl -C - would put two revisions together and be content.
    @Test
    void range_ofWhatChanges_isTheWhole() throws Exception {
        for (String path : List.of("/v1/sets", "/v1/sets/firewall", "/v1/sets/firewall/manifest",
                "/v1/sets/firewall/changes?since=0", "/v1/sets/firewall/policies",
                "/v1/sets/firewall/policies/" + serving.firewall.content().keySet().iterator().next())) {
            RawHttp.Answer part = serving.get(path, "Range: bytes=1-2");
            assertThat(part.status()).as(path).isEqualTo(200);
            assertThat(part.headers()).as(path).doesNotContainKeys("accept-ranges", "content-range");
            assertThat(part.body()).as(path).isEqualTo(serving.get(path).body());
        }
        assertThat(serving.get("/v1/sets/firewall/bundle.ndjson.gz", "Range: bytes=1-2").status()).isEqualTo(307);
    }

    @Test
    void segmentsFetched_readAgainAndLost_countsWhatTheDatabaseWasAskedFor() throws Exception {
        int segments = serving.firewall.manifest().segments().size();
        assertThat(fetched()).isZero();
        for (int i = 0; i < 3; i++) {
            serving.get(BUNDLE);
            // What a meter reads must not be collected under it.
            System.gc();
            assertThat(fetched()).isEqualTo(segments);
        }
        deleteSegments();
        serving.get(BUNDLE);
        assertThat(fetched()).isEqualTo(2 * segments);
    }

    private int fetched() {
        return serving.meters.scrape().lines().filter(l -> l.startsWith("bellwether_segments_fetched_total "))
                .findFirst().map(l -> (int) Double.parseDouble(l.substring(l.indexOf(' ')))).orElse(-1);
    }

    private void deleteSegments() throws IOException {
        try (Stream<Path> files = Files.walk(dataDir.resolve("segments"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.delete(file);
            }
        }
    }
}
