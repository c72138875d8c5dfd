package io.bellwether.catalog;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

import io.bellwether.policy.Manifest;
import io.bellwether.policy.PolicyLines;
import io.bellwether.policy.SegmentRef;
import io.bellwether.policy.Sha256;

/** Segments as lines, whole in memory, one at a time. Thread safe. */
final class SegmentLines {
    private final SegmentStore store;

    SegmentLines(SegmentStore store) {
        this.store = store;
    }

    /** The lines of a segment, standing before the first. */
    PolicyLines open(Sha256 sha256, long bytes, long rawBytes) throws IOException {
        byte[] lines = bytes(sha256, bytes, rawBytes);
        return new PolicyLines(lines, lines.length);
    }

    /** The lines of a segment as they are. */
    byte[] bytes(Sha256 sha256, long bytes, long rawBytes) throws IOException {
        byte[] lines = new byte[Math.toIntExact(rawBytes)];
        try (StoredSegment segment = store.open(sha256, bytes); InputStream in = segment.lines()) {
            int length = in.readNBytes(lines, 0, lines.length);
            if (length != lines.length || in.read() >= 0) {
                throw new IOException("segment " + sha256 + " has not the " + rawBytes + " bytes of its manifest");
            }
            return lines;
        }
    }

    /** The uncompressed length of the largest segment. */
    static long largest(Manifest manifest) {
        return manifest.segments().stream().mapToLong(SegmentRef::rawBytes).max().orElse(0);
    }

    /** Whether {@code text} begins with {@code prefix}. */
    static boolean startsWith(byte[] text, byte[] prefix) {
        return text.length >= prefix.length && Arrays.equals(text, 0, prefix.length, prefix, 0, prefix.length);
    }
}
