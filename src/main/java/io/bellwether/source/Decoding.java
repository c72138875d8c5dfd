package io.bellwether.source;

import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.util.Locale;

import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import org.jspecify.annotations.Nullable;

import io.bellwether.policy.Sha256;

/**
 * Takes compression off a feed. Gzip and zstd are known by their first bytes, whatever the URL or the headers say; a
 * {@code Content-Encoding} is a promise that has to hold, and under it the feed may be a compressed file still.
 */
final class Decoding {
    private static final int MOST_LAYERS = 3;
    private static final int MAGIC_LENGTH = 4;
    /** Log2 of the largest zstd window accepted, 128 MiB outside the heap: what the zstd command accepts by default. */
    private static final int ZSTD_WINDOW_LOG = 27;

    private enum Kind {
        PLAIN, GZIP, ZSTD
    }

    /**
     * A feed without its compression.
     *
     * @param in the plain bytes
     * @param meter what they pass, hashed; null when they came without compression
     */
    record Decoded(InputStream in, @Nullable MeteredInput meter) {}

    private Decoding() {}

    /**
     * Decodes {@code in}.
     *
     * @param contentEncoding the value of the HTTP header, empty if there was none
     */
    static Decoded open(InputStream in, String contentEncoding, FeedLimits limits) throws IOException {
        String promised = promised(contentEncoding);
        InputStream layer = in;
        MeteredInput meter = null;
        try {
            for (int depth = 0; depth <= MOST_LAYERS; depth++) {
                PushbackInputStream peeked = new PushbackInputStream(layer, MAGIC_LENGTH);
                Kind kind = peek(peeked);
                if (depth == 0 && !promised.isEmpty() && !promised.equals(kind.name().toLowerCase(Locale.ROOT))) {
                    throw new FeedException(FeedProblem.BAD_COMPRESSION,
                            "the upstream says Content-Encoding: " + promised + ", but sent something else");
                }
                if (kind == Kind.PLAIN) {
                    return new Decoded(peeked, meter);
                }
                InputStream decoded = kind == Kind.GZIP ? new GunzipInput(peeked) : zstd(peeked);
                layer = meter = new MeteredInput(decoded, limits.feedBytes(), "the feed, decompressed,",
                        Sha256.newDigest());
            }
            throw new FeedException(FeedProblem.BAD_COMPRESSION,
                    "the feed is compressed more than " + MOST_LAYERS + " times over");
        } catch (IOException e) {
            // What a decoder holds outside the heap is let go by closing it only.
            layer.close();
            throw e;
        }
    }

    private static String promised(String contentEncoding) throws FeedException {
        return switch (contentEncoding.strip().toLowerCase(Locale.ROOT)) {
            case "", "identity" -> "";
            case "gzip", "x-gzip" -> "gzip";
            case "zstd" -> "zstd";
            default -> throw new FeedException(FeedProblem.BAD_COMPRESSION, "Content-Encoding "
                    + contentEncoding.replaceAll("[^ -~]", "?") + " is not supported (gzip and zstd are)");
        };
    }

    private static Kind peek(PushbackInputStream in) throws IOException {
        byte[] magic = new byte[MAGIC_LENGTH];
        int length = in.readNBytes(magic, 0, MAGIC_LENGTH);
        in.unread(magic, 0, length);
        if (length >= 2 && magic[0] == 0x1f && magic[1] == (byte) 0x8b) {
            return Kind.GZIP;
        }
        int word = (magic[3] & 0xff) << 24 | (magic[2] & 0xff) << 16 | (magic[1] & 0xff) << 8 | magic[0] & 0xff;
        // A frame of zstd, or one of the sixteen kinds that a decoder skips (RFC 8878, 3.1).
        return word == 0xfd2fb528 || (word & 0xfffffff0) == 0x184d2a50 ? Kind.ZSTD : Kind.PLAIN;
    }

    private static InputStream zstd(InputStream in) throws IOException {
        try {
            return new ZstdInput(new ZstdInputStreamNoFinalizer(in).setLongMax(ZSTD_WINDOW_LOG));
        } catch (LinkageError e) {
            throw new FeedException(FeedProblem.BAD_COMPRESSION,
                    "zstd cannot be used on this machine: " + e.getMessage(), e);
        }
    }

    /** Puts the errors of the zstd library into our words. */
    private static final class ZstdInput extends BlockInput {
        private final ZstdInputStreamNoFinalizer in;

        ZstdInput(ZstdInputStreamNoFinalizer in) {
            this.in = in;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            try {
                return in.read(bytes, offset, length);
            } catch (ZstdIOException | ZstdException e) {
                String what = String.valueOf(e.getMessage());
                if (what.startsWith("Truncated") || what.startsWith("Src size is incorrect")) {
                    throw new FeedException(FeedProblem.TRUNCATED, "the feed ends in the middle of a zstd frame", e);
                }
                throw new FeedException(FeedProblem.BAD_COMPRESSION, "the zstd data is damaged: " + what, e);
            }
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
