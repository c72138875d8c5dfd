package io.bellwether.source;

import static io.bellwether.source.Feeds.bytes;
import static io.bellwether.source.Feeds.join;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.entry;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.bellwether.feed.FeedGenerator;
import io.bellwether.feed.FeedShape;
import io.bellwether.source.Feeds.Policy;

final class FeedReaderTest {
    private static final String A = "{\"key\":\"a\",\"body\":1}";
    private static final String B = "{\"key\":\"b\",\"body\":{\"x\" : [ 1.50, \"\\u0000\" ]}}";
    private static final List<Policy> A_AND_B = List.of(new Policy("a", "1"),
            new Policy("b", "{\"x\" : [ 1.50, \"\\u0000\" ]}"));
    private static final byte[] BOM = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

    static Stream<String> sameFeed() {
        return Stream.of(A + "\n" + B + "\n", A + "\n" + B, A + "\r\n" + B + "\r\n",
                "\n\n" + A + "\n \t\r\n\n" + B + "\n\n ",
                "[" + A + "," + B + "]", " \n[\n" + A + "\n,\r\n" + B + "\n]\n\n", "[" + A + " , " + B + "]\r\n",
                "{\"body\":1,\"key\":\"a\"}\n" + B, "  " + A + "  \n\t" + B,
                "{\"note\":{\"key\":\"z\"},\"key\":\"a\",\"old\":[],\"body\":1,\"keys\":2,\"\":0}\n" + B,
                "{\"k\\u0065y\":\"\\u0061\",\"\\u0062od\\u0079\":1}\n" + B);
    }

    @ParameterizedTest
    @MethodSource("sameFeed")
    void next_formsOfOneFeed_giveTheSamePolicies(String feed) throws FeedException {
        assertThat(Feeds.read(bytes(feed))).isEqualTo(A_AND_B);
        assertThat(Feeds.read(join(BOM, bytes(feed)))).isEqualTo(A_AND_B);
        assertThat(Feeds.read(Feeds.dripping(bytes(feed), 3, new Random(1)), FeedLimits.DEFAULT)).isEqualTo(A_AND_B);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", " \r\n\t ", "[]", "[ \n ]\n"})
    void next_feedWithoutPolicies_isAnEnd(String feed) throws FeedException {
        assertThat(Feeds.read(bytes(feed))).isEmpty();
        assertThat(Feeds.read(join(BOM, bytes(feed)))).isEmpty();
    }

    @Test
    void next_arrayOverManyLines_flattensBodiesAndKeepsTheirLength() throws FeedException {
        String feed = """
                [
                  {
                    "key": "a",
                    "body": {\r
                      "x": [
                1, "\\n"]
                    }
                  },
                  {"key": "b", "body": null}
                ]
                """;
        FeedReader reader = new FeedReader(new ByteArrayInputStream(bytes(feed)), FeedLimits.DEFAULT);

        FeedPolicy policy = required(reader);
        assertThat(Feeds.copy(policy)).isEqualTo(new Policy("a", "{        \"x\": [ 1, \"\\n\"]     }"));
        assertThat(policy.line()).isEqualTo(2);
        policy = required(reader);
        assertThat(Feeds.copy(policy)).isEqualTo(new Policy("b", "null"));
        assertThat(policy.line()).isEqualTo(9);
        assertThat(policy.offset()).isEqualTo(feed.indexOf("{\"key\": \"b\""));
        assertThat(reader.next()).isNull();
        assertThat(entry(reader.lines(), reader.policies())).isEqualTo(entry(10L, 2L));
        assertThat(reader.feedBytes()).isEqualTo(feed.length());
        assertThat(reader.next()).isNull();
    }

    @Test
    void next_lines_numbersThemFromOneAndCountsBlankOnes() throws FeedException {
        FeedReader reader = new FeedReader(new ByteArrayInputStream(bytes("\n" + A + "\r\n\r\n" + B)),
                FeedLimits.DEFAULT);

        assertThat(required(reader).line()).isEqualTo(2);
        FeedPolicy policy = required(reader);
        assertThat(policy.line()).isEqualTo(4);
        assertThat(policy.offset()).isEqualTo(1 + A.length() + 4);
        assertThat(reader.next()).isNull();
        assertThat(reader.lines()).isEqualTo(4);
    }

    @Test
    void next_body_comesByteForByte() throws FeedException {
        List<String> bodies = List.of("0", "-0.0e-10", "1E400", "12345678901234567890123456789", "\"\\/\\ud800\"",
                "[ ]",
                "{\"a\":1,\"a\":2}", "\"\u007f\u2028é🔑\"", "[[[\r]]]", "\"\"", "true", "false", "null");
        for (String body : bodies) {
            assertThat(Feeds.read(bytes("{\"key\":\"k\",\"body\": " + body + " }\n")))
                    .containsExactly(new Policy("k", body));
        }
    }

    @Test
    void next_key_isUnescapedAndNeverNormalised() throws FeedException {
        assertThat(key("\\u00e9")).isEqualTo("é");
        assertThat(key("e\u0301")).isEqualTo("e\u0301");
        assertThat(key("\\ud83d\\uDD11 \\\" \\\\ \\/ \\b\\f\\n\\r\\t")).isEqualTo("🔑 \" \\ / \b\f\n\r\t");
        assertThat(key("🔑\u007f\ufeff")).isEqualTo("🔑\u007f\ufeff");
        assertThat(key("x".repeat(512))).hasSize(512);
        assertThat(key("\\u0078".repeat(512))).isEqualTo("x".repeat(512));
        assertThat(key("\\ud83d\\udd11".repeat(128))).isEqualTo("🔑".repeat(128));
    }

    static Stream<Arguments> badFeeds() {
        String good = A + "\n";
        return Stream.of(bad("x", FeedProblem.NOT_JSON, 1), bad("\n\n1", FeedProblem.NOT_JSON, 3),
                bad("<!DOCTYPE html>\n<html><head><title>Sign in</title>", FeedProblem.HTML, 1),
                bad("\n <html>", FeedProblem.HTML, 2), bad(good + "<html>", FeedProblem.NOT_JSON, 2),
                bad(good + "x\n", FeedProblem.NOT_JSON, 2), bad(good + A + A, FeedProblem.NOT_JSON, 2),
                bad(good + A + ",\n" + B, FeedProblem.NOT_JSON, 2), bad(A + "\r" + B, FeedProblem.NOT_JSON, 1),
                bad(good + "{\"key\":\"b\",\n\"body\":1}", FeedProblem.NOT_JSON, 2),
                bad(good + "{\"key\":\"b\",\"body\":NaN}", FeedProblem.NOT_JSON, 2),
                bad(good + "{\"key\":\"b\",\"body\":01}", FeedProblem.NOT_JSON, 2),
                bad(good + "{\"key\":\"b\",\"body\":1.}", FeedProblem.NOT_JSON, 2),
                bad(good + "{\"key\":\"b\",\"body\":+1}", FeedProblem.NOT_JSON, 2),
                bad(good + "{\"key\":\"b\",\"body\":[1,]}", FeedProblem.NOT_JSON, 2),
                bad(good + "{\"key\":\"b\",\"body\":{\"a\":1,}}", FeedProblem.NOT_JSON, 2),
                bad(good + "{\"key\":\"b\",\"body\":[}}", FeedProblem.NOT_JSON, 2),
                bad(good + "{\"key\":\"b\",\"body\":{}/*c*/}", FeedProblem.NOT_JSON, 2),
                bad(good + "{'key':'b','body':1}", FeedProblem.NOT_JSON, 2),
                bad(good + "{\"key\":\"b\",\"body\":\"\t\"}", FeedProblem.NOT_JSON, 2),
                bad(good + "{\"key\":\"b\",\"body\":\"\\x\"}", FeedProblem.NOT_JSON, 2),
                bad(good + "{\"key\":\"b\",\"body\":\"\\u00g0\"}", FeedProblem.NOT_JSON, 2),
                bad(good + "{\"key\":\"b\",\"body\":\u00a01}", FeedProblem.NOT_JSON, 2),
                bad(good + "\u0000\u0000\u0000", FeedProblem.NOT_JSON, 2),
                bad("\u0000\u0000\u0000", FeedProblem.NOT_JSON, 1),
                bad(good + "\ufeff" + A, FeedProblem.NOT_JSON, 2),
                bad(good + "[" + A + "]", FeedProblem.BAD_POLICY, 2), bad(good + "null", FeedProblem.BAD_POLICY, 2),
                bad(good + "{}", FeedProblem.BAD_POLICY, 2), bad("{\"policies\":[]}", FeedProblem.BAD_POLICY, 1),
                bad(good + "{\"key\":\"b\"}", FeedProblem.BAD_POLICY, 2),
                bad(good + "{\"body\":\"b\"}", FeedProblem.BAD_POLICY, 2),
                bad(good + "{\"key\":\"b\",\"body\":1,\"key\":\"b\"}", FeedProblem.BAD_POLICY, 2),
                bad(good + "{\"key\":\"b\",\"body\":1,\"b\\u006fdy\":1}", FeedProblem.BAD_POLICY, 2),
                bad(good + "{\"key\":7,\"body\":1}", FeedProblem.BAD_KEY, 2),
                bad(good + "{\"key\":null,\"body\":1}", FeedProblem.BAD_KEY, 2), badKey(""), badKey("\\u0000"),
                badKey("a\\u0000b"), badKey("\\ud800"), badKey("\\udd11\\ud83d"), badKey("\\ud83d\\u0041"),
                badKey("\\ud83dx"),
                badKey("x".repeat(513)), badKey("\\u0078".repeat(513)), badKey("é".repeat(257)),
                bad("[" + A, FeedProblem.TRUNCATED, 1), bad("[\n" + A + ",\n", FeedProblem.TRUNCATED, 3),
                bad("[", FeedProblem.TRUNCATED, 1),
                bad("[\n" + A + ",\n" + B.substring(0, 9), FeedProblem.TRUNCATED, 3),
                bad("[" + A + "]x", FeedProblem.NOT_JSON, 1), bad("[" + A + "]\n" + A, FeedProblem.NOT_JSON, 2),
                bad("[" + A + ",]", FeedProblem.NOT_JSON, 1), bad("[," + A + "]", FeedProblem.NOT_JSON, 1),
                bad("[" + A + B + "]", FeedProblem.NOT_JSON, 1), bad("[" + A + ",\n1]", FeedProblem.BAD_POLICY, 2),
                bad("[[]]", FeedProblem.BAD_POLICY, 1),
                bad("[" + A + ",\n{\"key\":\"b\",\n\"body\":[1}},\n" + B + "]", FeedProblem.NOT_JSON, 3),
                bad("[" + A + ",\n{\"key\":\"b\",\n\"body\":\"x},\n" + B + "]", FeedProblem.NOT_JSON, 3),
                bad("[" + A + ",\n{\"key\":\"b\"}]", FeedProblem.BAD_POLICY, 2));
    }

    private static Arguments bad(String feed, FeedProblem problem, long line) {
        return Arguments.of(feed, problem, line);
    }

    private static Arguments badKey(String escaped) {
        return bad(A + "\n{\"key\":\"" + escaped + "\",\"body\":1}\n", FeedProblem.BAD_KEY, 2);
    }

    @ParameterizedTest
    @MethodSource("badFeeds")
    void next_badFeed_isRefusedWithKindAndLine(String feed, FeedProblem problem, long line) {
        FeedException refusal = refusal(bytes(feed), FeedLimits.DEFAULT);

        assertThat(refusal.problem()).as(refusal.getMessage()).isEqualTo(problem);
        assertThat(refusal.line()).as(refusal.getMessage()).isEqualTo(line);
        assertThat(refusal.offset()).isBetween(0L, (long) bytes(feed).length);
        assertThat(refusal.problem().isContent()).isTrue();
        assertThat(refusal).hasMessageStartingWith("line " + line + ": ").hasMessageNotContainingAny("\n", "\u0000");
    }

    @Test
    void next_lastLineCutAnywhere_isTruncated() {
        String feed = A + "\n" + B;
        for (int length = A.length() + 2; length < feed.length(); length++) {
            FeedException refusal = refusal(bytes(feed.substring(0, length)), FeedLimits.DEFAULT);
            assertThat(refusal.problem()).isEqualTo(FeedProblem.TRUNCATED);
            assertThat(refusal.line()).isEqualTo(2);
        }
    }

    @Test
    void next_illFormedUtf8_isRefused() {
        for (int[] wrong : new int[][]{{0x80}, {0xc0, 0x80}, {0xc1, 0xbf}, {0xe0, 0x9f, 0xbf}, {0xed, 0xa0, 0x80},
                {0xf0, 0x8f, 0xbf, 0xbf}, {0xf4, 0x90, 0x80, 0x80}, {0xf5, 0x80, 0x80, 0x80}, {0xff}, {0xc3},
                {0xe2, 0x82},
                {0xe2, 0x28, 0xa1}}) {
            byte[] raw = new byte[wrong.length];
            for (int i = 0; i < raw.length; i++) {
                raw[i] = (byte) wrong[i];
            }
            for (String before : List.of("{\"key\":\"", "{\"key\":\"k\",\"body\":\"", "{\"key\":\"k\",\"body\":1,\"")) {
                byte[] feed = join(bytes(A + "\n" + before), raw, bytes("\",\"body\":1}\n"));
                FeedException refusal = refusal(feed, FeedLimits.DEFAULT);
                assertThat(refusal.problem()).isEqualTo(FeedProblem.BAD_UTF8);
                assertThat(refusal.offset()).isEqualTo(A.length() + 1 + before.length());
            }
        }
        assertThat(refusal("{\"key\":\"é\",\"body\":1}".getBytes(ISO_8859_1), FeedLimits.DEFAULT).problem())
                .isEqualTo(FeedProblem.BAD_UTF8);
        assertThat(refusal(A.getBytes(UTF_16), FeedLimits.DEFAULT).problem()).isEqualTo(FeedProblem.BAD_UTF8);
        assertThat(refusal(A.getBytes(UTF_16LE), FeedLimits.DEFAULT).problem()).isEqualTo(FeedProblem.BAD_UTF8);
    }

    @Test
    void next_overALimit_isRefusedAtItsLine() throws FeedException {
        FeedLimits limits = new FeedLimits(1 << 20, 1 << 20, 100, 50, 3, 10);
        String long100 = "{\"key\":\"a\",\"more\":\"" + "x".repeat(100 - 30) + "\",\"body\":1}";
        assertThat(Feeds.read(new ByteArrayInputStream(bytes(long100 + "\n[".substring(0, 1))), limits)).hasSize(1);
        assertThat(Feeds.read(new ByteArrayInputStream(bytes("[" + long100 + "]")), limits)).hasSize(1);

        assertThat(refusal(bytes(A + "\n" + long100 + " \n"), limits).problem()).isEqualTo(FeedProblem.TOO_LONG);
        assertThat(refusal(bytes(A + "\n" + " ".repeat(101)), limits).problem()).isEqualTo(FeedProblem.TOO_LONG);
        assertThat(refusal(bytes("[" + long100.replace("1}", "11}") + "]"), limits).problem())
                .isEqualTo(FeedProblem.TOO_LONG);
        assertThat(refusal(policy("\"" + "x".repeat(49) + "\""), limits).problem()).isEqualTo(FeedProblem.TOO_LONG);
        assertThat(refusal(policy("12345678901"), limits).problem()).isEqualTo(FeedProblem.TOO_LONG);
        assertThat(refusal(policy("[[[[]]]]"), limits).problem()).isEqualTo(FeedProblem.TOO_DEEP);
        assertThat(refusal(policy("[".repeat(100_000)), FeedLimits.DEFAULT).problem()).isEqualTo(FeedProblem.TOO_DEEP);
        assertThat(Feeds.read(new ByteArrayInputStream(policy("[[{\"a\":1234567890}]]")), limits)).hasSize(1);
        assertThat(refusal(bytes((A + "\n").repeat(2_000)), limits.withFeedBytes(1 << 20, 10_000)).problem())
                .isEqualTo(FeedProblem.TOO_LARGE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"key\":\"x", "[{\"key\":\"x", "{ ", "[{ "})
    void next_endlessLine_isRefusedWithoutBufferingMoreThanTheLimit(String beginning) {
        EndlessInput endless = new EndlessInput(bytes(beginning));
        FeedException refusal = catchThrowableOfType(FeedException.class,
                () -> Feeds.read(endless, FeedLimits.DEFAULT.withLineBytes(1_000_000, 1_000_000)));

        assertThat(refusal.problem()).isEqualTo(FeedProblem.TOO_LONG);
        assertThat(endless.given).isLessThan(1_000_000 + 128 * 1024);
    }

    @Test
    void next_endlessWhiteSpace_isRefusedByTheSizeOfTheFeed() {
        FeedException refusal = catchThrowableOfType(FeedException.class,
                () -> Feeds.read(new EndlessInput(bytes("[ ")), FeedLimits.DEFAULT.withFeedBytes(1 << 30, 5_000_000)));

        assertThat(refusal.problem()).isEqualTo(FeedProblem.TOO_LARGE);
    }

    @Test
    void next_largeFeed_isTheSameAsLinesAndAsArraysHoweverItArrives() throws IOException {
        var out = new ByteArrayOutputStream();
        new FeedGenerator(FeedShape.of(3_000, 5)).writeTo(out);
        byte[] lines = out.toByteArray();
        List<Policy> expected = Feeds.read(lines);
        String text = new String(lines, UTF_8);
        String array = "[" + text.strip().replace("\n", ",") + "]";
        String spread = "[\n" + text.strip().replace("\n", "\n,\n").replace(",\"body\":", " , \r\n\"body\" :\n")
                + "\n]\n";

        assertThat(expected).hasSize(3_000);
        for (byte[] form : List.of(lines, bytes(array), bytes(spread))) {
            for (int most : new int[]{7, 4_096, 300_000}) {
                assertThat(Feeds.read(Feeds.dripping(form, most, new Random(most)), FeedLimits.DEFAULT))
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void next_streamThatFails_tellsHowFarItCame() {
        InputStream failing = new SequenceInputStream(new ByteArrayInputStream(bytes(A + "\n" + B.substring(0, 5))),
                new InputStream() {
                    @Override
                    public int read() throws IOException {
                        throw new IOException("disk on fire");
                    }

                    @Override
                    public int read(byte[] bytes, int offset, int length) throws IOException {
                        return read();
                    }
                });
        FeedException failure = catchThrowableOfType(FeedException.class,
                () -> Feeds.read(failing, FeedLimits.DEFAULT));

        assertThat(failure.problem()).isEqualTo(FeedProblem.BROKEN_OFF);
        assertThat(failure).hasMessageContaining("line 2").hasMessageContaining("disk on fire");
        assertThat(failure.problem().isContent()).isFalse();
    }

    private static byte[] policy(String body) {
        return bytes("{\"key\":\"k\",\"body\":" + body + "}\n");
    }

    private static String key(String escaped) throws FeedException {
        return Feeds.read(bytes("{\"key\":\"" + escaped + "\",\"body\":1}")).getFirst().key();
    }

    private static FeedPolicy required(FeedReader reader) throws FeedException {
        FeedPolicy policy = reader.next();
        if (policy == null) {
            throw new AssertionError("the feed has ended");
        }
        return policy;
    }

    private static FeedException refusal(byte[] feed, FeedLimits limits) {
        FeedException refusal = catchThrowableOfType(FeedException.class,
                () -> Feeds.read(new ByteArrayInputStream(feed), limits));
        assertThat(refusal).as(new String(feed, 0, Math.min(feed.length, 200), UTF_8)).isNotNull();
        return refusal;
    }

    /** Some bytes, and then the last of them for ever. */
    private static final class EndlessInput extends InputStream {
        private final byte[] beginning;
        long given;

        EndlessInput(byte[] beginning) {
            this.beginning = beginning;
        }

        @Override
        public int read() {
            return beginning[(int) Math.min(given++, beginning.length - 1)];
        }

        @Override
        public int read(byte[] bytes, int offset, int length) {
            for (int i = 0; i < length; i++) {
                bytes[offset + i] = (byte) read();
            }
            return length;
        }
    }
}
