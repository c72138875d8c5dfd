package io.bellwether.feed;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.zip.GZIPInputStream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class FeedGeneratorTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Results of load tests are compared over months: a changed digest makes all of them incomparable. */
    @ParameterizedTest
    @CsvSource({"1000, 1, 0, 0, 427f794864fd32110014ba71a8e6cbf1954200a7c844e7d15925c99934f1e694",
            "1000, 1, 0.01, 1, 0181d8eb42b4ed6c2d5f8cfada815b6c61e8bffcc2fdbc106ff27b92c062e8ea",
            "777, -5, 0.25, 1000000, f8ed6ad2ef99c470cb7fd9a4ca3a67f3cfed4ceaab8831d8292919620cdf1fa6"})
    void writeTo_knownSeed_isTheSameForEver(long policies, long seed, double change, long generation, String digest)
            throws Exception {
        MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
        try (OutputStream out = new DigestOutputStream(OutputStream.nullOutputStream(), sha256)) {
            new FeedGenerator(new FeedShape(policies, seed, change, generation)).writeTo(out);
        }
        assertThat(HexFormat.of().formatHex(sha256.digest())).isEqualTo(digest);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 9, 10, 255, 1_000, 20_000})
    void writeTo_anySize_givesThatManyCanonicalLinesWithDistinctKeys(long policies) throws IOException {
        FeedShape shape = FeedShape.of(policies, 42);
        byte[] feed = feed(shape);

        assertThat(policies(feed)).hasSize((int) policies);
        assertThat(new FeedGenerator(shape).writeTo(OutputStream.nullOutputStream())).isEqualTo(policies);
    }

    @Test
    void writeTo_anotherSeed_givesAnotherFeed() throws IOException {
        assertThat(feed(FeedShape.of(10, 1))).isEqualTo(feed(FeedShape.of(10, 1)))
                .isNotEqualTo(feed(FeedShape.of(10, 2)));
    }

    @Test
    void writeTo_manyPolicies_haveRealisticSizes() throws IOException {
        Sizes sizes = new Sizes();
        new FeedGenerator(FeedShape.of(200_000, 7)).writeTo(sizes);

        long[] lengths = sizes.sorted();
        assertThat(Arrays.stream(lengths).average().orElseThrow()).isBetween(750.0, 850.0);
        assertThat(lengths[0]).isGreaterThan(200);
        assertThat(lengths[lengths.length / 2]).isBetween(400L, 700L);
        assertThat(lengths[lengths.length - 1]).isBetween(150_000L, 500_000L);
    }

    @ParameterizedTest
    @CsvSource({"1000, 0.001, 1", "1000, 0.01, 10", "1000, 0.5, 500", "1000, 1, 1000", "10000, 0.001, 10",
            "10, 0.0001, 1",
            "1000, 0.019, 18"})
    void writeTo_afterChange_differsInThatShare(long policies, double share, int expected) throws IOException {
        FeedShape before = FeedShape.of(policies, 3);
        Difference difference = new Difference(feed(before), feed(before.changedBy(share)));

        // A deleted and an added policy are two of the changes, so at a share of 0.019 the nineteenth waits for its pair.
        assertThat(difference.changed + difference.deleted + difference.added).isEqualTo(expected);
        assertThat(difference.added).isEqualTo(difference.deleted).isEqualTo(expected / 10);
        assertThat(difference.moved).as("what did not change stays where it was").isFalse();
    }

    @Test
    void writeTo_eachGeneration_movesALittleForEver() throws IOException {
        FeedShape shape = new FeedShape(500, 9, 0.02, 0);
        byte[] before = feed(shape);
        for (long generation : LongStream.concat(LongStream.range(1, 120), LongStream.of(900_000_001L)).toArray()) {
            if (generation > 1_000) {
                before = feed(shape.atGeneration(generation - 1));
            }
            byte[] after = feed(shape.atGeneration(generation));
            Difference difference = new Difference(before, after);
            assertThat(policies(after)).hasSize(500);
            assertThat(difference.changed + difference.deleted + difference.added).isEqualTo(10);
            before = after;
        }
    }

    @Test
    void writeTo_fileNamedGz_isGzippedAndWhole(@TempDir Path folder) throws IOException {
        FeedShape shape = FeedShape.of(50, 1);
        FeedGenerator.writeTo(folder.resolve("feed.ndjson"), shape);
        assertThat(FeedGenerator.writeTo(folder.resolve("feed.ndjson.GZ"), shape)).isEqualTo(50);

        assertThat(folder.resolve("feed.ndjson")).hasBinaryContent(feed(shape));
        try (var in = new GZIPInputStream(Files.newInputStream(folder.resolve("feed.ndjson.GZ")))) {
            assertThat(in.readAllBytes()).isEqualTo(feed(shape));
        }
        assertThat(folder).isDirectoryNotContaining("glob:**.part");
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 0", "10000001, 0, 0", "1, -0.1, 0", "1, 1.1, 0", "1, NaN, 0", "1, 0, -1"})
    void shape_outOfRange_isRefused(long policies, double change, long generation) {
        assertThatThrownBy(() -> new FeedShape(policies, 0, change, generation))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static byte[] feed(FeedShape shape) throws IOException {
        var out = new ByteArrayOutputStream();
        new FeedGenerator(shape).writeTo(out);
        return out.toByteArray();
    }

    /** Key to body as text, in the order of the feed; fails on a line that is not canonical. */
    private static Map<String, String> policies(byte[] feed) throws IOException {
        Map<String, String> policies = new LinkedHashMap<>();
        assertThat(feed).endsWith((byte) 0x0a);
        for (String line : new String(feed, UTF_8).lines().toList()) {
            JsonNode policy = JSON.readTree(line);
            String key = policy.required("key").textValue();
            String head = "{\"key\":\"" + key.replace("\\", "\\\\").replace("\"", "\\\"") + "\",\"body\":";
            assertThat(line).startsWith(head).endsWith("}");
            assertThat(key.getBytes(UTF_8)).hasSizeBetween(1, 512);
            String body = line.substring(head.length(), line.length() - 1);
            assertThat(policies.put(key, body)).as("key twice: %s", key).isNull();
        }
        return policies;
    }

    private static final class Difference {
        int changed;
        int deleted;
        int added;
        boolean moved;

        Difference(byte[] before, byte[] after) throws IOException {
            Map<String, String> old = policies(before);
            Map<String, String> now = policies(after);
            old.forEach((key, body) -> {
                String other = now.get(key);
                if (other == null) {
                    deleted++;
                } else if (!other.equals(body)) {
                    changed++;
                }
            });
            added = (int) now.keySet().stream().filter(key -> !old.containsKey(key)).count();
            moved = !old.keySet().stream().filter(now::containsKey).toList()
                    .equals(now.keySet().stream().filter(old::containsKey).toList());
        }
    }

    /** Notes the length of each line; relies on one write per line. */
    private static final class Sizes extends OutputStream {
        private final LongStream.Builder lengths = LongStream.builder();

        @Override
        public void write(int one) {
            throw new AssertionError("one write per line");
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            lengths.add(length);
        }

        long[] sorted() {
            return lengths.build().sorted().toArray();
        }
    }
}
