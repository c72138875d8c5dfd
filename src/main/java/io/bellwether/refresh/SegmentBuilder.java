package io.bellwether.refresh;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.bellwether.policy.CutRule;
import io.bellwether.policy.PolicyLine;
import io.bellwether.policy.PolicyLines;
import io.bellwether.policy.SegmentRef;

/**
 * Merges the changes of a set, given in key order, into its segments. Reads only the old segments that a change touches
 * and keeps the others as they are; the outcome is that of building all segments from the set's new content.
 *
 * <p>A segment begins at every key for which the {@link CutRule} says so, and at the first key of the set. So a change
 * touches the segment in whose range its key lies. Two cases reach further. The deletion of a segment's first key lets
 * the rest of it flow into the segment before, which is read for that. A new smallest key takes in the old first
 * segment, unless that begins where the rule cuts anyway. Where a segment is read without need, the result is equal to
 * the old one bit by bit, so reading too many is never wrong.
 *
 * <p>Holds one old and one new segment in memory. Not thread safe.
 */
final class SegmentBuilder {
    /** The rule makes segments of some ten KiB; one that grows to this has hardly any key where it cuts. */
    private static final int MAX_RAW_BYTES = 64 << 20;

    /** Where old lines come from and new segments go to. */
    interface Segments {
        /** The lines of an old segment, as long as it says. */
        byte[] lines(SegmentRef old) throws SQLException;

        /** An empty chunk, for {@link #build}. */
        Chunk begin(byte[] firstKey);

        /** The next segment of the new revision is this old one. */
        void keep(SegmentRef old);

        /** The next segment of the new revision has these lines. */
        void build(Chunk chunk) throws InterruptedException, SQLException;
    }

    private final List<SegmentRef> old;
    private final CutRule rule;
    private final boolean recut;
    private final Segments segments;
    /** The first old segment that is neither kept nor being read. */
    private int next;
    /** The old segment being read; stands on its first line that was not dealt with. */
    private @Nullable PolicyLines reading;
    private byte[] readingBytes = {};
    private @Nullable Chunk chunk;
    private byte @Nullable [] lastEmitted;
    private byte @Nullable [] lastChanged;

    /**
     * A builder that stands before the first key.
     *
     * @param old the segments of the base revision in key order
     * @param rule where to cut
     * @param recut whether the old segments were cut by another rule, so that none can be kept
     * @param segments where lines come from and go to
     */
    SegmentBuilder(List<SegmentRef> old, CutRule rule, boolean recut, Segments segments) {
        this.old = old;
        this.rule = rule;
        this.recut = recut;
        this.segments = segments;
    }

    /** A new or changed policy; keys must rise from call to call. */
    void put(byte[] key, byte[] body, int offset, int length)
            throws SQLException, InterruptedException, RefusedException {
        advanceTo(key, false);
        skip(key);
        Chunk to = chunkFor(key);
        PolicyLine.append(to, key, body, offset, length);
        emitted(to, key);
    }

    /**
     * A policy that is there no more; keys must rise from call to call.
     *
     * @throws IllegalStateException if it was not there before
     */
    void delete(byte[] key) throws SQLException, InterruptedException, RefusedException {
        advanceTo(key, true);
        if (!skip(key)) {
            throw new IllegalStateException("the segments hold no policy " + show(key) + ", which is to be deleted");
        }
    }

    /** There are no more changes. */
    void finish() throws SQLException, InterruptedException, RefusedException {
        copyWhileBefore(null);
        while (next < old.size()) {
            pass();
        }
        closeChunk();
    }

    private void advanceTo(byte[] key, boolean delete) throws SQLException, InterruptedException, RefusedException {
        if (lastChanged != null && Arrays.compareUnsigned(lastChanged, key) >= 0) {
            throw new IllegalStateException("changes out of key order at " + show(key));
        }
        lastChanged = key;
        while (next < old.size() && !before(key, next)) {
            copyWhileBefore(null);
            if (next + 1 == old.size() || before(key, next + 1)
                    || delete && Arrays.equals(key, old.get(next + 1).firstKey())) {
                open();
            } else {
                pass();
            }
        }
        copyWhileBefore(key);
    }

    /** Whether {@code key} lies before the range of an old segment. */
    private boolean before(byte[] key, int segment) {
        return Arrays.compareUnsigned(key, old.get(segment).firstKey()) < 0;
    }

    /** Keeps the next old segment, or reads it if it does not begin a segment any more. */
    private void pass() throws SQLException, InterruptedException, RefusedException {
        SegmentRef segment = old.get(next);
        if (recut || chunk != null && !rule.beginsSegment(segment.firstKey())) {
            open();
            copyWhileBefore(null);
            return;
        }
        closeChunk();
        inOrder(segment.firstKey());
        segments.keep(segment);
        next++;
    }

    private void open() throws SQLException {
        SegmentRef segment = old.get(next++);
        readingBytes = segments.lines(segment);
        PolicyLines lines = new PolicyLines(readingBytes, readingBytes.length);
        if (!lines.next() || !Arrays.equals(lines.key(), segment.firstKey())) {
            throw new IllegalStateException("segment " + segment.sha256() + " does not begin with the key "
                    + show(segment.firstKey()) + " of its manifest entry");
        }
        reading = lines;
    }

    /** Copies lines of the old segment being read, up to {@code key} or, when that is null, to its end. */
    private void copyWhileBefore(byte @Nullable [] key) throws SQLException, InterruptedException, RefusedException {
        PolicyLines lines = reading;
        while (lines != null && (key == null || Arrays.compareUnsigned(lines.key(), key) < 0)) {
            Chunk to = chunkFor(lines.key());
            to.write(readingBytes, lines.offset(), lines.length());
            emitted(to, lines.key());
            lines = step(lines);
        }
    }

    /** Leaves out the old line of {@code key}, if there is one. */
    private boolean skip(byte[] key) {
        PolicyLines lines = reading;
        if (lines == null || !Arrays.equals(lines.key(), key)) {
            return false;
        }
        step(lines);
        return true;
    }

    private @Nullable PolicyLines step(PolicyLines lines) {
        if (lines.next()) {
            return lines;
        }
        readingBytes = new byte[0];
        reading = null;
        return null;
    }

    private Chunk chunkFor(byte[] key) throws SQLException, InterruptedException {
        Chunk open = chunk;
        if (open == null || rule.beginsSegment(key)) {
            closeChunk();
            open = segments.begin(key);
            chunk = open;
        }
        return open;
    }

    private void emitted(Chunk to, byte[] key) throws RefusedException {
        inOrder(key);
        to.countLine();
        if (to.size() > MAX_RAW_BYTES) {
            throw new RefusedException("the " + to.policies() + " policies from key " + show(to.firstKey())
                    + " on are larger than the " + MAX_RAW_BYTES + " bytes that a segment may have");
        }
    }

    private void inOrder(byte[] key) {
        if (lastEmitted != null && Arrays.compareUnsigned(lastEmitted, key) >= 0) {
            throw new IllegalStateException("segments out of key order at " + show(key));
        }
        lastEmitted = key;
    }

    private void closeChunk() throws SQLException, InterruptedException {
        Chunk full = chunk;
        chunk = null;
        if (full != null) {
            segments.build(full);
        }
    }

    private static String show(byte[] key) {
        return HexFormat.of().formatHex(key);
    }
}
