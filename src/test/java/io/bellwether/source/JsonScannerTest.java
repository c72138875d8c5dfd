package io.bellwether.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Timeout;

/** Jackson, and the JDK's strict decoder of UTF-8, judge our scanner on documents that a random hand has spoilt. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class JsonScannerTest {
    private static final int ROUNDS = 20_000;
    private static final String[] SEEDS = {
            "{\"a\":[1,-2.5e+10,0.0,true,false,null,\"x\"],\"b\":{\"c\":{}},\"d\":[[],[]]}",
            "[\"\\u00e9\\ud83d\\udd11\\n\\\"\\\\\\/\\b\\f\\r\\t\",\"é🔑東京\u2028\",\"a plain text that is longer than eight\"]",
            " { \"x\" : [ 1 , 2 ] ,\r\n\t\"y\" : \"\" } ", "-0", "0.1e-7", "\"\"", "null",
            "[[[[[[[[{\"a\":[{}]}]]]]]]]]"};
    private static final byte[] SPICE = "{}[]\",:\\0123456789eE+-.tfnrubulsae /\n\t\u0000é🔑".getBytes(UTF_8);
    private static final JsonFactory JACKSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(1_000).build()).build();

    @RepeatedTest(5)
    void value_spoiltDocument_isAcceptedExactlyWhenJacksonDoes(RepetitionInfo repetition) {
        Random random = new Random(repetition.getCurrentRepetition());
        JsonScanner scanner = new JsonScanner(FeedLimits.DEFAULT);
        int good = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] document = spoil(SEEDS[random.nextInt(SEEDS.length)].getBytes(UTF_8), random);
            boolean wanted = jackson(document);
            good += wanted ? 1 : 0;
            assertThat(ours(scanner, document)).as("seed %s round %s: %s", repetition.getCurrentRepetition(), round,
                    new String(document, UTF_8)).isEqualTo(wanted);
        }
        assertThat(good).as("documents still good").isBetween(ROUNDS / 20, ROUNDS * 19 / 20);
    }

    /** Changes a few bytes, or none. */
    static byte[] spoil(byte[] good, Random random) {
        byte[] document = good;
        for (int left = random.nextInt(4); left > 0; left--) {
            int at = random.nextInt(document.length + 1);
            int to = Math.min(document.length, at + random.nextInt(4));
            byte[] head = Arrays.copyOf(document, at);
            byte[] tail = Arrays.copyOfRange(document, to, document.length);
            byte[] inserted = new byte[random.nextInt(3)];
            for (int i = 0; i < inserted.length; i++) {
                inserted[i] = random.nextInt(8) == 0 ? (byte) random.nextInt(256) : SPICE[random.nextInt(SPICE.length)];
            }
            document = Feeds.join(head, inserted, tail);
        }
        return document;
    }

    private static boolean ours(JsonScanner scanner, byte[] document) {
        try {
            int end = scanner.value(document, 0, document.length);
            return JsonScanner.white(document, end, document.length) == document.length;
        } catch (JsonFault e) {
            assertThat(e.at()).isBetween(0, document.length);
            return false;
        }
    }

    private static boolean jackson(byte[] document) {
        try (JsonParser parser = JACKSON
                .createParser(UTF_8.newDecoder().decode(ByteBuffer.wrap(document)).toString())) {
            if (parser.nextToken() == null) {
                return false;
            }
            parser.skipChildren();
            // Jackson reads numbers and texts lazily, and finds what is wrong with them then.
            return parser.nextToken() == null;
        } catch (CharacterCodingException e) {
            return false;
        } catch (IOException e) {
            return false;
        }
    }

}
