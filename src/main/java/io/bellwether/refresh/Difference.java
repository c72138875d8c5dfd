package io.bellwether.refresh;

import java.util.List;

/**
 * How a feed differs from the set.
 *
 * @param policies different keys in the feed
 * @param upserts policies that are new or changed
 * @param added of those, the new ones
 * @param deletes policies of the set that the feed does not have
 * @param unchanged policies found as they were
 * @param repeated policies whose key the feed has had before
 * @param repetitions the first of these in words: line and key
 */
record Difference(long policies, long upserts, long added, long deletes, long unchanged, long repeated,
        List<String> repetitions) {
    /** Whether the set is what the feed says. */
    boolean isNothing() {
        return upserts == 0 && deletes == 0;
    }
}
