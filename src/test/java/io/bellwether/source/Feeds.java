package io.bellwether.source;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.zip.GZIPOutputStream;

import com.github.luben.zstd.ZstdOutputStream;

/** Feeds made and read in tests. */
final class Feeds {
    /** One policy as it was read. */
    record Policy(String key, String body) {}

    private Feeds() {}

    static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    static List<Policy> read(byte[] feed) throws FeedException {
        return read(new ByteArrayInputStream(feed), FeedLimits.DEFAULT);
    }

    static List<Policy> read(InputStream in, FeedLimits limits) throws FeedException {
        List<Policy> policies = new ArrayList<>();
        FeedReader reader = new FeedReader(in, limits);
        for (FeedPolicy policy = reader.next(); policy != null; policy = reader.next()) {
            policies.add(copy(policy));
        }
        return policies;
    }

    static List<Policy> readAll(FeedStream stream) throws FeedException {
        List<Policy> policies = new ArrayList<>();
        for (FeedPolicy policy = stream.next(); policy != null; policy = stream.next()) {
            policies.add(copy(policy));
        }
        return policies;
    }

    static Policy copy(FeedPolicy policy) {
        return new Policy(new String(policy.copyKey(), UTF_8), new String(policy.copyBody(), UTF_8));
    }

    static byte[] gzip(byte[] plain) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(bytes)) {
            out.write(plain);
        }
        return bytes.toByteArray();
    }

    static byte[] zstd(byte[] plain) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (ZstdOutputStream out = new ZstdOutputStream(bytes).setChecksum(true)) {
            out.write(plain);
        }
        return bytes.toByteArray();
    }

    static byte[] join(byte[]... parts) {
        var joined = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            joined.writeBytes(part);
        }
        return joined.toByteArray();
    }

    /** A stream that hands out a few bytes at a time, as a network does on a bad day. */
    static InputStream dripping(byte[] bytes, int most, Random random) {
        return new ByteArrayInputStream(bytes) {
            @Override
            public synchronized int read(byte[] into, int offset, int length) {
                return super.read(into, offset, Math.min(length, 1 + random.nextInt(most)));
            }
        };
    }

    /** Bytes that are just there. */
    static FeedStream stream(byte[] received, String contentEncoding) throws IOException {
        InputStream body = new ByteArrayInputStream(received);
        return FeedStream.open(new FeedStream.Transport() {
            @Override
            public InputStream body() {
                return body;
            }

            @Override
            public String contentEncoding() {
                return contentEncoding;
            }

            @Override
            public OptionalLong length() {
                return OptionalLong.empty();
            }

            @Override
            public Validators validators() {
                return Validators.NONE;
            }

            @Override
            public String location() {
                return "memory";
            }

            @Override
            public void checkWhole() {
                // It always is.
            }
        }, FeedLimits.DEFAULT);
    }
}
