package io.bellwether.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicyLineTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @ParameterizedTest
    @CsvSource(quoteCharacter = '`', delimiter = ' ', value = {"a \"a\"", "/ \"/\"", "é \"é\"", "ıİ \"ıİ\"",
            "𝄞 \"𝄞\"", "\" \"\\\"\"", "\\ \"\\\\\""})
    void appendKey_printableText_escapesOnlyQuoteAndBackslash(String key, String expected) {
        PolicyLine.appendKey(out, utf8(key));
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo(expected);
    }

    @Test
    void appendKey_controlCharacters_usesTheShortFormWhereThereIsOne() {
        PolicyLine.appendKey(out, utf8("\b\t\n\f\r\u0001\u001f\u007f\u2028"));
        assertThat(out.toString(StandardCharsets.UTF_8))
                .isEqualTo("\"\\b\\t\\n\\f\\r\\u0001\\u001f\u007f\u2028\"");
    }

    @Test
    void append_anyKey_isJsonThatReadsBackAsTheKey() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        ObjectMapper json = new ObjectMapper();
        for (int i = 0; i < 500; i++) {
            String key = random.ints(1 + random.nextInt(40), 0, 0x250).collect(StringBuilder::new,
                    StringBuilder::appendCodePoint, StringBuilder::append).toString();
            out.reset();
            PolicyLine.append(out, utf8(key), utf8("{\"a\":1}"), 0, 7);
            assertThat(json.readTree(out.toByteArray()).get("key").textValue()).as("seed %s", seed).isEqualTo(key);
        }
    }

    @Test
    void append_aSliceOfABody_copiesItByteForByte() {
        byte[] buffer = utf8("xx{\"b\" : 1.50, \"a\":\"\\u0000\"}yy");
        PolicyLine.append(out, utf8("k"), buffer, 2, buffer.length - 4);
        assertThat(out.toString(StandardCharsets.UTF_8))
                .isEqualTo("{\"key\":\"k\",\"body\":{\"b\" : 1.50, \"a\":\"\\u0000\"}}\n");
    }

    @Test
    void appendPutAndDelete_areTheLinesOfAChangeFeed() {
        PolicyLine.appendPut(out, utf8("k"), utf8("[]"), 0, 2);
        PolicyLine.appendDelete(out, utf8("k\n"));
        assertThat(out.toString(StandardCharsets.UTF_8))
                .isEqualTo("{\"op\":\"put\",\"key\":\"k\",\"body\":[]}\n{\"op\":\"del\",\"key\":\"k\\n\"}\n");
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
