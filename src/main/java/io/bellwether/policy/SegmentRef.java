package io.bellwether.policy;

import java.util.Arrays;

/**
 * One segment as a manifest names it. The arrays are owned by the record and never changed.
 *
 * @param firstKey the first key in it
 * @param sha256 of the stored bytes, its name
 * @param rawSha256 of its lines
 * @param bytes stored
 * @param rawBytes of its lines
 * @param policies in it
 */
public record SegmentRef(byte[] firstKey, Sha256 sha256, Sha256 rawSha256, long bytes, long rawBytes, int policies) {
    @Override
    public boolean equals(Object other) {
        return other instanceof SegmentRef that && Arrays.equals(firstKey, that.firstKey) && sha256.equals(that.sha256)
                && rawSha256.equals(that.rawSha256) && bytes == that.bytes && rawBytes == that.rawBytes
                && policies == that.policies;
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(firstKey) * 31 + sha256.hashCode();
    }
}
