package io.bellwether.refresh;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;

import io.bellwether.database.BinaryCopyOut;
import io.bellwether.lease.LeaseLostException;
import io.bellwether.policy.CutRule;
import io.bellwether.policy.Limits;
import io.bellwether.policy.SegmentRef;

/** Builds the segments of the next revision, and those of its delta, from the staged changes. Not thread safe. */
final class DraftBuilder implements SegmentBuilder.Segments {
    /** How far the average segment may stray from the target before a set is cut anew. */
    private static final int TOO_LARGE = 4;
    private static final int TOO_SMALL = 8;
    private static final int LOOK_MASK = 0x3ff;

    private final SetState set;
    private final RunWatch watch;
    private final SegmentReader reader;
    private final SegmentPress press;
    private final List<Future<SegmentRef>> segments = new ArrayList<>();

    DraftBuilder(SetState set, RunWatch watch, SegmentReader reader, SegmentPress press) {
        this.set = set;
        this.watch = watch;
        this.reader = reader;
        this.press = press;
    }

    /**
     * Builds.
     *
     * @param base the segments of the head
     * @param connection brings the changes
     * @param changes the query that brings key and body of each change in key order, the body null for a delete
     * @param keys the query that brings the keys of the changes in order, or null when there is nothing to read for them
     * @param stagedBytes about how long the lines of the changes are
     */
    Draft build(List<SegmentRef> base, Connection connection, String changes, @Nullable String keys,
            Difference difference,
            long stagedBytes) throws SQLException, LeaseLostException, InterruptedException, RefusedException {
        int bits = bits(set, difference, stagedBytes);
        Integer before = set.segmentBits();
        boolean recut = before == null || bits != before;
        SegmentBuilder builder = new SegmentBuilder(base, new CutRule(bits), recut, this);
        DeltaBuilder delta = set.published()
                ? new DeltaBuilder(press, Draft.deltaLimit(set.rawBytes() + stagedBytes))
                : null;
        if (keys != null) {
            reader.expect(recut ? base : touched(base, connection, keys));
        }
        if (!difference.isNothing()) {
            apply(connection, changes, builder, delta, difference.upserts() + difference.deletes());
        }
        builder.finish();
        List<SegmentRef> built = press.await(segments);
        Draft draft = Draft.of(bits, base, built, delta == null ? null : delta.finish());
        if (draft.manifest().policies() != difference.policies()) {
            throw new IllegalStateException("the segments hold " + draft.manifest().policies()
                    + " policies, the feed " + difference.policies());
        }
        return draft;
    }

    /** The segments in whose ranges changes lie. Their neighbours may be needed as well. */
    private static List<SegmentRef> touched(List<SegmentRef> base, Connection connection, String keys)
            throws SQLException {
        List<SegmentRef> touched = new ArrayList<>();
        int at = 0;
        int last = -1;
        try (BinaryCopyOut rows = new BinaryCopyOut(connection, keys, 1)) {
            while (rows.next()) {
                byte[] key = rows.bytes(0);
                while (at + 1 < base.size() && Arrays.compareUnsigned(base.get(at + 1).firstKey(), key) <= 0) {
                    at++;
                }
                if (at != last && at < base.size()) {
                    touched.add(base.get(at));
                    last = at;
                }
            }
        }
        return touched;
    }

    private void apply(Connection connection, String changes, SegmentBuilder builder, @Nullable DeltaBuilder delta,
            long expected)
            throws SQLException, LeaseLostException, InterruptedException, RefusedException {
        long bytes = 0;
        Pace.Steps steps = watch.steps();
        try (BinaryCopyOut rows = new BinaryCopyOut(connection, changes, 2)) {
            for (long n = 1; rows.next(); n++) {
                byte[] key = rows.bytes(0);
                boolean put = rows.length(1) >= 0;
                if (put) {
                    builder.put(key, rows.row(), rows.offset(1), rows.length(1));
                } else {
                    builder.delete(key);
                }
                if (delta != null && put) {
                    delta.put(key, rows.row(), rows.offset(1), rows.length(1));
                } else if (delta != null) {
                    delta.delete(key);
                }
                bytes += rows.row().length;
                steps.row(rows.row().length);
                if ((n & LOOK_MASK) == 0) {
                    watch.at(n, bytes, (double) n / (double) expected);
                    watch.check();
                }
            }
        }
    }

    /** How the next revision is cut: as the head is, unless that makes segments far from the size wanted. */
    static int bits(SetState set, Difference difference, long stagedBytes) {
        Integer bits = set.segmentBits();
        if (bits != null && difference.policies() == 0) {
            return bits;
        }
        // What is deleted or replaced is taken to be of average size.
        double average = set.policies() == 0 ? 0 : (double) set.rawBytes() / (double) set.policies();
        double gone = average * (double) (difference.upserts() - difference.added() + difference.deletes());
        long rawBytes = Math.max(stagedBytes, set.rawBytes() + stagedBytes - Math.round(gone));
        int best = CutRule.bitsFor(difference.policies(), rawBytes);
        if (bits == null || !set.published()) {
            return best;
        }
        double segment = (double) rawBytes / (double) difference.policies() * Math.pow(2, bits);
        boolean farOff = segment > (double) TOO_LARGE * Limits.SEGMENT_RAW_TARGET_BYTES
                || segment < (double) Limits.SEGMENT_RAW_TARGET_BYTES / TOO_SMALL;
        return farOff ? best : bits;
    }

    @Override
    public byte[] lines(SegmentRef old) throws SQLException {
        return reader.lines(old);
    }

    @Override
    public Chunk begin(byte[] firstKey) {
        return press.chunk(firstKey);
    }

    @Override
    public void keep(SegmentRef old) {
        segments.add(CompletableFuture.completedFuture(old));
    }

    @Override
    public void build(Chunk chunk) throws InterruptedException, SQLException {
        segments.add(press.press(chunk));
    }
}
