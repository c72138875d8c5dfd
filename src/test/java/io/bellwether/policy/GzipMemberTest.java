package io.bellwether.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GzipMemberTest {
    private static byte[] lines(int length, int seed) {
        Random random = new Random(seed);
        byte[] lines = new byte[length];
        for (int i = 0; i < length; i++) {
            lines[i] = (byte) "{\"key\":,body}\n".charAt(random.nextInt(14));
        }
        return lines;
    }

    /** The same stream by zlib in one go, all of it in arrays. */
    private static byte[] deflated(byte[] lines) {
        try (Deflater deflater = new Deflater(4, true)) {
            deflater.setInput(lines);
            deflater.finish();
            byte[] out = new byte[lines.length + 1_000];
            return Arrays.copyOf(out, deflater.deflate(out));
        }
    }

    // What zlib is given piece by piece, it compresses as it does a whole: a segment's name depends on it.
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 70, 32_768, 65_535, 65_536, 65_537, 131_072, 300_000, 3_000_000})
    void compress_linesOfAnyLength_areWhatZlibMakesOfThemInOneGo(int length) throws Exception {
        byte[] lines = lines(length, length);
        byte[] member = GzipMember.compress(lines, length);
        assertThat(Arrays.copyOfRange(member, 10, member.length - 8)).isEqualTo(deflated(lines));
        assertThat(GzipMember.expand(member, length)).isEqualTo(lines);
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(member))) {
            assertThat(in.readAllBytes()).isEqualTo(lines);
        }
    }

    @Test
    void compress_oneAfterAnother_leavesNothingOfTheOneBefore() {
        try (GzipMember.Compressor compressor = new GzipMember.Compressor()) {
            byte[] noise = new byte[200_000];
            new Random(1).nextBytes(noise);
            for (byte[] lines : new byte[][]{lines(100_000, 1), noise, lines(10, 2), new byte[0], lines(70_000, 3)}) {
                assertThat(compressor.compress(lines, lines.length))
                        .isEqualTo(GzipMember.compress(lines, lines.length));
                assertThat(GzipMember.expand(compressor.compress(lines, lines.length), lines.length)).isEqualTo(lines);
            }
            byte[] longer = lines(5_000, 4);
            assertThat(compressor.compress(longer, 4_000))
                    .isEqualTo(GzipMember.compress(Arrays.copyOf(longer, 4_000), 4_000));
        }
    }
}
