package io.bellwether.catalog;

import io.bellwether.policy.SegmentRef;

/**
 * A segment's place in a set, from the revision that added it to the one that removed it. Immutable.
 *
 * @param segment the segment
 * @param addedIn the first revision that has it
 * @param removedIn the first revision after that which has it no more, or {@link #LIVE}
 */
record ManifestEntry(SegmentRef segment, long addedIn, long removedIn) {
    /** The head has it. */
    static final long LIVE = Long.MAX_VALUE;

    boolean isIn(long revision) {
        return addedIn <= revision && revision < removedIn;
    }

    ManifestEntry endingIn(long revision) {
        return new ManifestEntry(segment, addedIn, revision);
    }
}
