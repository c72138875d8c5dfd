package io.bellwether.source;

import static io.bellwether.source.Feeds.bytes;
import static io.bellwether.source.Feeds.gzip;
import static io.bellwether.source.Feeds.join;
import static io.bellwether.source.Feeds.stream;
import static io.bellwether.source.Feeds.zstd;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.bellwether.policy.Sha256;
import io.bellwether.source.Feeds.Policy;

final class DecodingTest {
    private static final byte[] FIRST = bytes("{\"key\":\"a\",\"body\":1}\n");
    private static final byte[] SECOND = bytes("{\"key\":\"b\",\"body\":\"" + "x".repeat(300) + "\"}\n");
    private static final byte[] FEED = join(FIRST, SECOND);
    private static final byte[] TAPE = new byte[512];

    @Test
    void open_compressedFeed_isKnownByItsFirstBytes() throws IOException {
        for (byte[] received : List.of(FEED, gzip(FEED), zstd(FEED), join(gzip(FIRST), gzip(SECOND)),
                join(gzip(FIRST), gzip(new byte[0]), gzip(SECOND)), join(zstd(FIRST), zstd(SECOND)),
                join(HexFormat.of().parseHex("502a4d1803000000aabbcc"), zstd(FEED)), join(gzip(FEED), TAPE),
                gzip(gzip(FEED)), zstd(gzip(FEED)))) {
            try (FeedStream stream = stream(received, "")) {
                assertThat(Feeds.readAll(stream)).extracting(Policy::key).containsExactly("a", "b");
                FeedTotals totals = stream.totals();
                assertThat(totals).isEqualTo(
                        new FeedTotals(Sha256.of(received), Sha256.of(FEED), received.length, FEED.length, 2, 2));
                assertThat(stream.receivedBytes()).isEqualTo(received.length);
            }
        }
    }

    @Test
    void open_headerFieldsOfGzip_areSkipped() throws IOException {
        byte[] plain = gzip(FEED);
        byte[] header = HexFormat.of().parseHex("1f8b081f000000000003" + "0300aabbcc" + "6e616d6500" + "00" + "1234");
        assertThat(read(join(header, Arrays.copyOfRange(plain, 10, plain.length)), "")).hasSize(2);
    }

    @Test
    void open_contentEncoding_isAPromiseThatHasToHold() throws IOException {
        assertThat(read(gzip(FEED), "gzip")).hasSize(2);
        assertThat(read(gzip(FEED), "X-GZIP ")).hasSize(2);
        assertThat(read(zstd(FEED), "zstd")).hasSize(2);
        assertThat(read(FEED, "identity")).hasSize(2);
        assertThat(read(gzip(gzip(FEED)), "gzip")).hasSize(2);
        assertThat(refusal(FEED, "gzip").problem()).isEqualTo(FeedProblem.BAD_COMPRESSION);
        assertThat(refusal(new byte[0], "gzip").problem()).isEqualTo(FeedProblem.BAD_COMPRESSION);
        assertThat(refusal(gzip(FEED), "zstd").problem()).isEqualTo(FeedProblem.BAD_COMPRESSION);
        assertThat(refusal(FEED, "br")).hasMessageContaining("br");
        assertThat(refusal(FEED, "gzip, gzip").problem()).isEqualTo(FeedProblem.BAD_COMPRESSION);
        assertThat(refusal(gzip(gzip(gzip(gzip(FEED)))), "").problem()).isEqualTo(FeedProblem.BAD_COMPRESSION);
    }

    @Test
    void next_gzipCutAnywhere_isTruncatedExceptBetweenMembers() throws IOException {
        byte[] first = gzip(FIRST);
        byte[] whole = join(first, gzip(SECOND));
        for (int length = 2; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            if (length == first.length) {
                assertThat(read(cut, "")).as("what cannot be noticed").hasSize(1);
            } else {
                assertThat(refusal(cut, "").problem()).as("cut at %s", length).isEqualTo(FeedProblem.TRUNCATED);
            }
        }
    }

    @Test
    void next_zstdCutAnywhere_isTruncated() throws IOException {
        byte[] whole = zstd(FEED);
        for (int length = 4; length < whole.length; length++) {
            assertThat(refusal(Arrays.copyOf(whole, length), "").problem()).as("cut at %s", length)
                    .isEqualTo(FeedProblem.TRUNCATED);
        }
    }

    @Test
    void next_damagedGzip_isRefused() throws IOException {
        byte[] whole = gzip(FEED);
        byte[] checksum = whole.clone();
        checksum[whole.length - 8] ^= 1;
        byte[] length = whole.clone();
        length[whole.length - 4] ^= 1;
        byte[] method = whole.clone();
        method[2] = 7;
        byte[] flags = whole.clone();
        flags[3] = 0x20;
        byte[] data = whole.clone();
        data[10] = (byte) 0xff;
        for (byte[] damaged : List.of(checksum, length, method, flags, data, join(whole, bytes("garbage")),
                join(whole, TAPE, bytes("x")), join(whole, FEED))) {
            assertThat(refusal(damaged, "").problem()).isEqualTo(FeedProblem.BAD_COMPRESSION);
        }
    }

    @Test
    void next_damagedZstd_isRefused() throws IOException {
        byte[] whole = zstd(FEED);
        byte[] checksum = whole.clone();
        checksum[whole.length - 1] ^= 1;
        assertThat(refusal(checksum, "").problem()).isEqualTo(FeedProblem.BAD_COMPRESSION);
        assertThat(refusal(join(whole, bytes("garbage")), "").problem()).isEqualTo(FeedProblem.BAD_COMPRESSION);
    }

    @ParameterizedTest
    @CsvSource({"100000000, 200000", "3000, 100000000"})
    void next_feedThatUnfoldsTooFar_isTooLarge(long received, long decompressed) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var out = new GZIPOutputStream(bytes)) {
            for (int i = 0; i < 100_000; i++) {
                out.write(FIRST);
            }
        }
        FeedLimits limits = FeedLimits.DEFAULT.withFeedBytes(received, decompressed);
        InputStream metered = new MeteredInput(new ByteArrayInputStream(bytes.toByteArray()), received, "the feed",
                null);
        FeedException refusal = catchThrowableOfType(FeedException.class,
                () -> Feeds.read(Decoding.open(metered, "", limits).in(), limits));

        assertThat(refusal.problem()).isEqualTo(FeedProblem.TOO_LARGE);
    }

    @Test
    void next_gzipThatDrips_isReadToItsEnd() throws IOException {
        byte[] received = join(gzip(FIRST), gzip(SECOND), TAPE);
        for (int seed = 0; seed < 50; seed++) {
            InputStream in = Feeds.dripping(received, 1 + seed, new Random(seed));
            assertThat(Feeds.read(Decoding.open(in, "", FeedLimits.DEFAULT).in(), FeedLimits.DEFAULT)).hasSize(2);
        }
    }

    private static List<Policy> read(byte[] received, String contentEncoding) throws IOException {
        try (FeedStream stream = stream(received, contentEncoding)) {
            return Feeds.readAll(stream);
        }
    }

    private static FeedException refusal(byte[] received, String contentEncoding) {
        FeedException refusal = catchThrowableOfType(FeedException.class, () -> read(received, contentEncoding));
        assertThat(refusal).isNotNull();
        return refusal;
    }
}
