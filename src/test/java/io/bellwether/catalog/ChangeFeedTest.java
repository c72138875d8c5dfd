package io.bellwether.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;

import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.policy.SegmentRef;
import io.bellwether.policy.Sha256;

/** From where changes lead to the head; what they are is tested over HTTP. */
class ChangeFeedTest {
    private static final long MB = 1 << 20;
    private static final Sha256 HASH = Sha256.of(new byte[]{1});

    @Test
    void check_contentsGone_leadsFromThereUnlessItIsTwiceTheSet() {
        SetState small = set(1 * MB, 10 * MB);
        // 64 MB are read whatever the set has.
        ChangeFeed.check(small, 14);
        gone(small, 13, "revision 13 of one is kept as a change only", "whose contents are kept is 19");
        gone(small, 1, "too much changed since then");
        SetState large = set(40 * MB, 10 * MB);
        ChangeFeed.check(large, 12);
        gone(large, 11, "too much changed since then");
        assertThat(ChangeFeed.heapBytes(large, 12)).isLessThan(100 * MB);
    }

    @Test
    void check_contentsKept_leadsFromThereWhateverChanged() {
        SetState set = set(1 * MB, 1000 * MB);
        ChangeFeed.check(set, 0);
        ChangeFeed.check(set, 19);
        ChangeFeed.check(set, 20);
        gone(set, 21, "is no longer kept");
    }

    private static void gone(SetState set, long since, String... words) {
        assertThatThrownBy(() -> ChangeFeed.check(set, since)).isInstanceOfSatisfying(Fault.class, fault -> {
            assertThat(fault.kind()).isEqualTo(FaultKind.REVISION_GONE);
            assertThat(fault.getMessage()).contains(words);
        });
    }

    /** Twenty revisions, of the last two of which there are the contents. */
    private static SetState set(long rawBytes, long changed) {
        TreeMap<Long, RevisionInfo> revisions = new TreeMap<>();
        Map<Long, List<DeltaSegment>> deltas = new HashMap<>();
        for (long r = 1; r <= 20; r++) {
            revisions.put(r, new RevisionInfo(r, 1, 1, rawBytes, HASH, 1, 0, true, Instant.EPOCH, "test"));
            deltas.put(r, List.of(new DeltaSegment(HASH, HASH, 1, changed, 1)));
        }
        SegmentRef ref = new SegmentRef(new byte[]{1}, HASH, HASH, 1, rawBytes, 1);
        return new SetState(1, "one", 1, 19, revisions, List.of(new ManifestEntry(ref, 1, ManifestEntry.LIVE)), deltas);
    }
}
