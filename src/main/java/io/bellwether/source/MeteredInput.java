package io.bellwether.source;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.bellwether.policy.Sha256;

/** Counts what passes, refuses more than a limit, and hashes it if asked. Not thread-safe but for the count. */
final class MeteredInput extends BlockInput {
    private final InputStream in;
    private final long limit;
    private final String what;
    private final @Nullable MessageDigest digest;
    private volatile long count;

    /**
     * Meters {@code in}.
     *
     * @param limit bytes
     * @param what is limited, as a sentence about it begins
     */
    MeteredInput(InputStream in, long limit, String what, @Nullable MessageDigest digest) {
        this.in = in;
        this.limit = limit;
        this.what = what;
        this.digest = digest;
    }

    /** The hash of all that passed; to be called once, at the end. */
    Sha256 sha256() {
        return Sha256.wrap(Objects.requireNonNull(digest, "no digest").digest());
    }

    long count() {
        return count;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int read = in.read(bytes, offset, length);
        if (read > 0) {
            long now = count + read;
            count = now;
            if (now > limit) {
                throw new FeedException(FeedProblem.TOO_LARGE, what + " is larger than " + limit + " bytes");
            }
            if (digest != null) {
                digest.update(bytes, offset, read);
            }
        }
        return read;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
