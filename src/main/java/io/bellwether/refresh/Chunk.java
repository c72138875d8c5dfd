package io.bellwether.refresh;

import java.io.ByteArrayOutputStream;
import java.security.MessageDigest;
import java.util.Arrays;

import io.bellwether.policy.Sha256;

/** The lines of one segment before they are compressed. Filled by one thread, then handed to another. */
final class Chunk extends ByteArrayOutputStream {
    private final byte[] firstKey;
    private int policies;

    /** An empty chunk whose first line will be that of {@code firstKey}; it writes to {@code buffer} while that is enough. */
    Chunk(byte[] firstKey, byte[] buffer) {
        super(0);
        this.firstKey = firstKey;
        this.buf = buffer;
    }

    byte[] firstKey() {
        return firstKey;
    }

    int policies() {
        return policies;
    }

    /** To be called after each line. */
    void countLine() {
        policies++;
    }

    /** The array that holds the lines, {@link #size()} bytes of it; not a copy. */
    byte[] array() {
        return buf;
    }

    Sha256 digest() {
        MessageDigest digest = Sha256.newDigest();
        digest.update(buf, 0, count);
        return Sha256.wrap(digest.digest());
    }

    /** A copy of the lines. */
    byte[] copy() {
        return Arrays.copyOf(buf, count);
    }
}
