package io.bellwether.source;

import static io.bellwether.source.Feeds.bytes;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Timeout;

import io.bellwether.feed.FeedGenerator;
import io.bellwether.feed.FeedShape;
import io.bellwether.source.Feeds.Policy;

/**
 * Feeds spoilt by a random hand: read as a slow and simple reader made of Jackson reads them, or refused where it refuses
 * them; never another exception, never a hang. Seeded by the number of the repetition.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class FeedFuzzTest {
    private static final int ROUNDS = 2_000;
    private static final JsonFactory JACKSON = new JsonFactory();
    private static final List<String> LINES = List.of("{\"key\":\"a\",\"body\":{\"x\":[1,2.50,\"y\"]}}",
            "{\"body\":\"é🔑\\u0000\",\"key\":\"\\u00e9\\n東京\"}", "",
            " {\"key\" : \"c\" , \"more\":[{}], \"body\" : null } ",
            "{\"key\":\"d\",\"body\":[[],{},-0.1e5]}\r");

    @RepeatedTest(5)
    void next_spoiltLines_areReadAsJacksonReadsThem(RepetitionInfo repetition) throws IOException {
        Random random = new Random(repetition.getCurrentRepetition());
        int good = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] feed = JsonScannerTest.spoil(bytes(String.join("\n", LINES)), random);
            List<Policy> wanted = reference(feed);
            assertThat(orNull(feed)).as("seed %s round %s: %s", repetition.getCurrentRepetition(), round,
                    new String(feed, UTF_8)).isEqualTo(wanted);
            good += wanted == null ? 0 : 1;
        }
        assertThat(good).as("feeds still good").isBetween(ROUNDS / 10, ROUNDS * 9 / 10);
    }

    @RepeatedTest(5)
    void next_spoiltArray_isReadAsItsElementsWouldBe(RepetitionInfo repetition) throws IOException {
        Random random = new Random(100 + repetition.getCurrentRepetition());
        int good = 0;
        String whole = "[\n" + String.join(",\n", LINES.stream().filter(l -> !l.isEmpty()).toList()) + "\n]\n";
        for (int round = 0; round < ROUNDS; round++) {
            byte[] feed = JsonScannerTest.spoil(bytes(whole), random);
            List<Policy> got = orNull(feed);
            // The hand may turn an array into something else; what matters then is that nothing but a refusal comes.
            if (got != null && feed[0] == '[') {
                assertThat(got).as("seed %s round %s: %s", repetition.getCurrentRepetition(), round,
                        new String(feed, UTF_8)).isEqualTo(referenceArray(feed));
                good++;
            }
        }
        assertThat(good).as("feeds still good").isBetween(ROUNDS / 10, ROUNDS * 9 / 10);
    }

    @RepeatedTest(5)
    void next_spoiltCompressedFeed_isTheSameOrRefused(RepetitionInfo repetition) throws IOException {
        Random random = new Random(200 + repetition.getCurrentRepetition());
        var out = new ByteArrayOutputStream();
        new FeedGenerator(FeedShape.of(20, 1)).writeTo(out);
        List<Policy> whole = Feeds.read(out.toByteArray());
        List<byte[]> received = List.of(Feeds.gzip(out.toByteArray()), Feeds.zstd(out.toByteArray()));
        int refused = 0;
        for (int round = 0; round < ROUNDS / 4; round++) {
            byte[] feed = JsonScannerTest.spoil(received.get(round % 2), random);
            try (FeedStream stream = Feeds.stream(feed, "")) {
                assertThat(Feeds.readAll(stream)).isEqualTo(whole);
            } catch (FeedException e) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(ROUNDS / 4 / 2);
    }

    private static @Nullable List<Policy> orNull(byte[] feed) throws IOException {
        try {
            return Feeds.read(feed);
        } catch (FeedException e) {
            assertThat(e.offset()).isBetween(0L, (long) feed.length);
            assertThat(e.line()).isBetween(1L, 1L + feed.length);
            return null;
        }
    }

    /** The policies of a feed of lines, as RFC 8259 and our few rules have it; null if it is bad. */
    private static @Nullable List<Policy> reference(byte[] feed) {
        List<Policy> policies = new ArrayList<>();
        try {
            String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(feed)).toString();
            for (String line : text.split("\n", -1)) {
                if (!line.matches("[ \t\r]*")) {
                    policies.add(policy(line));
                }
            }
            return policies;
        } catch (IOException | IllegalArgumentException e) {
            return null;
        }
    }

    private static Policy policy(String line) throws IOException {
        try (JsonParser parser = JACKSON.createParser(line)) {
            check(parser.nextToken() == JsonToken.START_OBJECT);
            Policy policy = members(parser, line);
            check(parser.nextToken() == null);
            return policy;
        }
    }

    private static @Nullable List<Policy> referenceArray(byte[] feed) throws IOException {
        String text = new String(feed, UTF_8);
        List<Policy> policies = new ArrayList<>();
        try (JsonParser parser = JACKSON.createParser(text)) {
            check(parser.nextToken() == JsonToken.START_ARRAY);
            while (parser.nextToken() == JsonToken.START_OBJECT) {
                Policy policy = members(parser, text);
                policies.add(new Policy(policy.key(), policy.body().replace('\n', ' ').replace('\r', ' ')));
            }
            check(parser.currentToken() == JsonToken.END_ARRAY);
            check(parser.nextToken() == null);
            return policies;
        }
    }

    private static Policy members(JsonParser parser, String text) throws IOException {
        String key = null;
        String body = null;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            JsonToken token = parser.nextToken();
            int from = (int) parser.currentTokenLocation().getCharOffset();
            parser.skipChildren();
            parser.finishToken();
            if (name.equals("key")) {
                check(key == null && token == JsonToken.VALUE_STRING);
                key = parser.getText();
                check(!key.isEmpty() && key.indexOf(0) < 0 && UTF_8.newEncoder().canEncode(key));
            } else if (name.equals("body")) {
                check(body == null);
                body = text.substring(from, (int) parser.currentLocation().getCharOffset());
                // A number is known to be over only when the next character was seen.
                body = token.isNumeric() ? parser.getText() : body;
            }
        }
        check(key != null && body != null);
        return new Policy(String.valueOf(key), String.valueOf(body));
    }

    private static void check(boolean holds) {
        if (!holds) {
            throw new IllegalArgumentException();
        }
    }
}
