package io.bellwether.policy;

import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;

/** The segments of one revision in key order, with their sums. Immutable. */
public record Manifest(List<SegmentRef> segments, long policies, long bytes, long rawBytes, Sha256 contentSha256) {
    /** A manifest of these segments, which must be in key order. */
    public static Manifest of(List<SegmentRef> segments) {
        MessageDigest content = Sha256.newDigest();
        long policies = 0;
        long bytes = 0;
        long rawBytes = 0;
        byte[] before = new byte[0];
        for (SegmentRef segment : segments) {
            if (Arrays.compareUnsigned(before, segment.firstKey()) >= 0) {
                throw new IllegalArgumentException("segments out of key order at " + segment.sha256());
            }
            before = segment.firstKey();
            segment.rawSha256().update(content);
            policies += segment.policies();
            bytes += segment.bytes();
            rawBytes += segment.rawBytes();
        }
        return new Manifest(List.copyOf(segments), policies, bytes, rawBytes, Sha256.wrap(content.digest()));
    }

    /**
     * The segment in which {@code key} would be.
     *
     * @return its index, or -1 when the key sorts before the first segment (or there is none)
     */
    public int indexOf(byte[] key) {
        int low = 0;
        int high = segments.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (Arrays.compareUnsigned(segments.get(middle).firstKey(), key) <= 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }
}
