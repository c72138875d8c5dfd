package io.bellwether.catalog;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.function.Predicate;

/** Which segments are worth fetching together with one that somebody asked for. Stateless. */
final class StripeMates {
    private StripeMates() {}

    /**
     * A batch that begins with the segment asked for and goes on with those of its stripe that the heads which have it need; it
     * alone when no head has it.
     *
     * @param missing whether this host lacks a segment
     * @param fits whether there is room for a batch of so many bytes
     */
    static List<SegmentStore.Wanted> of(SegmentStore.Wanted asked, Heads heads, Predicate<SegmentStore.Wanted> missing,
            LongPredicate fits) {
        Set<SegmentStore.Wanted> batch = new LinkedHashSet<>(List.of(asked));
        long bytes = asked.bytes();
        for (SetState set : heads.byName().values()) {
            List<SegmentStore.Wanted> mates = mates(asked, set);
            if (!mates.contains(asked)) {
                continue;
            }
            for (SegmentStore.Wanted mate : mates) {
                if (batch.contains(mate) || !missing.test(mate)) {
                    continue;
                }
                bytes += mate.bytes();
                if (!fits.test(bytes)) {
                    return List.copyOf(batch);
                }
                batch.add(mate);
            }
        }
        return List.copyOf(batch);
    }

    private static List<SegmentStore.Wanted> mates(SegmentStore.Wanted asked, SetState set) {
        int stripe = asked.stripe();
        return set.manifest().segments().stream().filter(one -> SegmentStore.stripe(one.sha256()) == stripe)
                .map(one -> new SegmentStore.Wanted(one.sha256(), one.bytes())).toList();
    }
}
