package io.bellwether.policy;

import java.security.MessageDigest;

/**
 * Where a set in key order is cut into segments: a policy begins a new segment when the last {@code bits} bits of the
 * SHA-256 of its key are zero. The rule sees one key at a time, so that an insert or a delete moves no boundary but its
 * own. Immutable; not thread safe (it reuses a digest).
 */
public final class CutRule {
    private final int bits;
    private final MessageDigest digest = Sha256.newDigest();

    /**
     * A rule under which a segment has 2^{@code bits} policies on average.
     *
     * @param bits from 0 (every policy is a segment of its own) to 32
     */
    public CutRule(int bits) {
        if (bits < 0 || bits > 32) {
            throw new IllegalArgumentException("bits must be from 0 to 32, not " + bits);
        }
        this.bits = bits;
    }

    /**
     * The rule for a set, so that a segment averages about {@link Limits#SEGMENT_RAW_TARGET_BYTES} of raw lines.
     *
     * @param policies how many policies the set has
     * @param rawBytes the length of all their lines
     * @return the number of bits, at least 0
     */
    public static int bitsFor(long policies, long rawBytes) {
        if (policies == 0) {
            return 8;
        }
        double average = Math.max(1.0, (double) rawBytes / (double) policies);
        long perSegment = Math.max(1, Math.round(Limits.SEGMENT_RAW_TARGET_BYTES / average));
        return (int) Math.round(Math.log((double) perSegment) / Math.log(2));
    }

    /** The number of zero bits asked for. */
    public int bits() {
        return bits;
    }

    /** Whether the policy with this key begins a new segment. */
    public boolean beginsSegment(byte[] key) {
        byte[] hash = digest.digest(key);
        int low = (hash[28] & 0xff) << 24 | (hash[29] & 0xff) << 16 | (hash[30] & 0xff) << 8 | hash[31] & 0xff;
        return bits == 32 ? low == 0 : (low & ((1 << bits) - 1)) == 0;
    }
}
