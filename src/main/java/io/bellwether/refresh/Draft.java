package io.bellwether.refresh;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.bellwether.policy.Limits;
import io.bellwether.policy.Manifest;
import io.bellwether.policy.SegmentRef;

/**
 * A revision that is ready to be published.
 *
 * @param segmentBits how it is cut
 * @param manifest its segments
 * @param closed segments of the base that are not in it
 * @param added segments in it that the base does not have
 * @param delta the changes from the base as segments, or null where they are not kept
 */
record Draft(int segmentBits, Manifest manifest, List<SegmentRef> closed, List<SegmentRef> added,
        @Nullable List<SegmentRef> delta) {
    static Draft of(int segmentBits, List<SegmentRef> base, List<SegmentRef> segments,
            @Nullable List<SegmentRef> delta) {
        Manifest manifest = Manifest.of(segments);
        Set<SegmentRef> before = new HashSet<>(base);
        Set<SegmentRef> after = new HashSet<>(segments);
        long deltaBytes = delta == null ? 0 : delta.stream().mapToLong(SegmentRef::rawBytes).sum();
        boolean kept = delta != null && deltaBytes <= deltaLimit(manifest.rawBytes());
        return new Draft(segmentBits, manifest, base.stream().filter(s -> !after.contains(s)).toList(),
                segments.stream().filter(s -> !before.contains(s)).toList(), kept ? delta : null);
    }

    /** From how many bytes of lines on a delta is not kept: half of the set, but what fits into a segment always is. */
    static long deltaLimit(long rawBytes) {
        return Math.max(Limits.DELTA_RAW_TARGET_BYTES, rawBytes / 2);
    }
}
