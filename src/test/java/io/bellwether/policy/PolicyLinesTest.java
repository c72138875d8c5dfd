package io.bellwether.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyLinesTest {
    private final Random random = new Random(7);

    @Test
    void next_whateverPolicyLineWrote_givesItBack() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List<byte[]> keys = new ArrayList<>();
        List<byte[]> bodies = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            byte[] key = new byte[1 + random.nextInt(i % 50 == 0 ? 512 : 12)];
            for (int k = 0; k < key.length; k++) {
                key[k] = (byte) (random.nextBoolean()
                        ? 1 + random.nextInt(127)
                        : "\"\\\n\t\u001f\u007fa".charAt(
                                random.nextInt(7)));
            }
            byte[] body = ("{\"n\":" + i + "}").getBytes(StandardCharsets.US_ASCII);
            keys.add(key);
            bodies.add(body);
            switch (i % 3) {
                case 0 -> PolicyLine.append(out, key, body, 0, body.length);
                case 1 -> PolicyLine.appendPut(out, key, body, 0, body.length);
                default -> PolicyLine.appendDelete(out, key);
            }
        }
        byte[] raw = out.toByteArray();
        PolicyLines lines = new PolicyLines(raw, raw.length);
        int end = 0;
        for (int i = 0; i < keys.size(); i++) {
            assertThat(lines.next()).isTrue();
            assertThat(lines.key()).isEqualTo(keys.get(i));
            assertThat(lines.isDelete()).isEqualTo(i % 3 == 2);
            assertThat(Arrays.copyOfRange(raw, lines.bodyOffset(), lines.bodyOffset() + lines.bodyLength()))
                    .isEqualTo(i % 3 == 2 ? new byte[0] : bodies.get(i));
            assertThat(lines.offset()).isEqualTo(end);
            end += lines.length();
        }
        assertThat(lines.next()).isFalse();
        assertThat(end).isEqualTo(raw.length);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "{\"key\":\"a\",\"body\":1}", "{\"key\":\"a\",\"body\":}\n", "{\"key\":\"a\"}\n",
            "{\"key\":\"a\\\n", "{\"key\":\"a\\u01", "{\"key\":\"a\\x\",\"body\":1}\n", "{\"key\":\"a",
            "{\"op\":\"del\",\"key\":\"a\"}", "{\"op\":\"del\",\"key\":\"a\",\"body\":1}\n"})
    void next_notCanonical_isRefused(String text) {
        byte[] raw = text.getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> new PolicyLines(raw, raw.length).next()).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 100, 5000, 400_000})
    void gzipMember_expanded_isWhatItWas(int length) throws Exception {
        byte[] raw = new byte[length + 10];
        random.nextBytes(raw);
        Arrays.fill(raw, 0, length / 2, (byte) 'x');
        byte[] member = GzipMember.compress(raw, length);
        assertThat(GzipMember.compress(raw, length)).isEqualTo(member);
        try (GzipMember.Compressor compressor = new GzipMember.Compressor()) {
            compressor.compress(raw, raw.length);
            assertThat(compressor.compress(raw, length)).isEqualTo(member);
        }
        assertThat(GzipMember.expand(member, length)).isEqualTo(Arrays.copyOf(raw, length));
        try (java.util.zip.GZIPInputStream in = new java.util.zip.GZIPInputStream(
                new java.io.ByteArrayInputStream(member))) {
            assertThat(in.readAllBytes()).isEqualTo(Arrays.copyOf(raw, length));
        }
        assertThatThrownBy(() -> GzipMember.expand(member, length + 1)).isInstanceOf(IllegalArgumentException.class);
        if (length > 0) {
            assertThatThrownBy(() -> GzipMember.expand(member, length - 1))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        for (int i = 0; i < 20; i++) {
            byte[] damaged = member.clone();
            damaged[10 + random.nextInt(member.length - 10)] ^= (byte) (1 << random.nextInt(8));
            // Bits of padding may be flipped without harm to the lines; the SHA-256 of the stored bytes catches those.
            try {
                assertThat(GzipMember.expand(damaged, length)).isEqualTo(Arrays.copyOf(raw, length));
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageContaining("gzip member");
            }
            byte[] cut = Arrays.copyOf(member, member.length - 1 - random.nextInt(member.length - 1));
            assertThatThrownBy(() -> GzipMember.expand(cut, length)).isInstanceOf(IllegalArgumentException.class);
        }
        byte[] two = Arrays.copyOf(member, 2 * member.length);
        System.arraycopy(member, 0, two, member.length, member.length);
        assertThatThrownBy(() -> GzipMember.expand(two, length)).isInstanceOf(IllegalArgumentException.class);
    }
}
