package io.bellwether.catalog;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.policy.LineDiff;
import io.bellwether.policy.Manifest;
import io.bellwether.policy.PolicyLine;
import io.bellwether.policy.PolicyLines;
import io.bellwether.policy.SegmentRef;

/**
 * What has to be put and deleted to come from one revision of a set to its head: at most one line for each key, in key
 * order. Thread safe.
 *
 * <p>Three ways to the same lines: from nothing, the head's segments as puts; from a kept revision, its deltas merged in
 * memory, the latest wins, when they are small; otherwise the two manifests side by side, opening only segments that
 * differ, two at a time. So the memory of a feed is bounded whatever the distance.
 */
public final class ChangeFeed {
    private static final long MERGE_BYTES = 4L << 20;

    private final SegmentLines segments;

    /** Feeds from that store. */
    public ChangeFeed(SegmentStore store) {
        this.segments = new SegmentLines(store);
    }

    /** Where change lines go. */
    @FunctionalInterface
    interface Sink {
        void line(byte[] line, int offset, int length) throws IOException;
    }

    /**
     * Writes the lines from {@code since} to the head.
     *
     * @param since 0 for nothing, or a revision that is kept
     * @return how many lines
     * @throws Fault {@link FaultKind#REVISION_GONE} before the first line if {@code since} is not kept
     * @throws IOException if a segment cannot be read or {@code out} cannot be written
     */
    public long write(SetState set, long since, OutputStream out) throws IOException {
        long[] count = {0};
        Sink sink = (line, offset, length) -> {
            out.write(line, offset, length);
            count[0]++;
        };
        if (since == 0) {
            puts(set.manifest(), sink);
        } else if (since != set.revision()) {
            Manifest before = set.manifest(since).orElseThrow(() -> gone(set, since));
            if (deltaBytes(set, since) <= MERGE_BYTES) {
                merge(set, since, sink);
            } else {
                compare(before, set.manifest(), sink);
            }
        }
        return count[0];
    }

    /** How much of the heap {@link #write} takes at most, in bytes. */
    public static long heapBytes(SetState set, long since) {
        if (since == set.revision()) {
            return 0;
        }
        long head = SegmentLines.largest(set.manifest());
        if (since == 0) {
            return head;
        }
        long deltas = deltaBytes(set, since);
        return deltas <= MERGE_BYTES
                ? 2 * deltas
                : head + set.manifest(since).map(SegmentLines::largest).orElse(0L);
    }

    /**
     * Checks that a feed can begin at {@code since}.
     *
     * @throws Fault {@link FaultKind#REVISION_GONE} if it is not kept
     */
    public static void check(SetState set, long since) {
        if (since != 0 && set.revision(since).isEmpty()) {
            throw gone(set, since);
        }
    }

    private static Fault gone(SetState set, long since) {
        return new Fault(FaultKind.REVISION_GONE, "revision " + since + " of " + set.name()
                + " is no longer kept, the oldest is " + set.oldestRevision() + "; fetch the whole set");
    }

    /** The raw bytes of the deltas behind {@code since}; beyond all bounds when one is not kept. */
    private static long deltaBytes(SetState set, long since) {
        long bytes = 0;
        for (long r = since + 1; r <= set.revision() && bytes <= MERGE_BYTES; r++) {
            List<DeltaSegment> delta = set.delta(r);
            if (delta == null) {
                return Long.MAX_VALUE;
            }
            bytes += delta.stream().mapToLong(DeltaSegment::rawBytes).sum();
        }
        return bytes;
    }

    private void puts(Manifest manifest, Sink sink) throws IOException {
        for (SegmentRef segment : manifest.segments()) {
            byte[] raw = segments.bytes(segment.sha256(), segment.bytes(), segment.rawBytes());
            PolicyLines lines = new PolicyLines(raw, raw.length);
            while (lines.next()) {
                put(lines, raw, sink);
            }
        }
    }

    private static void put(PolicyLines lines, byte[] raw, Sink sink) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(lines.length() + 16);
        PolicyLine.appendPut(line, lines.key(), raw, lines.bodyOffset(), lines.bodyLength());
        byte[] bytes = line.toByteArray();
        sink.line(bytes, 0, bytes.length);
    }

    private void merge(SetState set, long since, Sink sink) throws IOException {
        TreeMap<byte[], byte[]> latest = new TreeMap<>(Arrays::compareUnsigned);
        for (long r = since + 1; r <= set.revision(); r++) {
            List<DeltaSegment> delta = set.delta(r);
            for (DeltaSegment segment : delta == null ? List.<DeltaSegment>of() : delta) {
                byte[] raw = segments.bytes(segment.sha256(), segment.bytes(), segment.rawBytes());
                PolicyLines lines = new PolicyLines(raw, raw.length);
                while (lines.next()) {
                    latest.put(lines.key(),
                            Arrays.copyOfRange(raw, lines.offset(), lines.offset() + lines.length()));
                }
            }
        }
        for (byte[] line : latest.values()) {
            sink.line(line, 0, line.length);
        }
    }

    private void compare(Manifest before, Manifest after, Sink sink) throws IOException {
        LineDiff<IOException> diff = new LineDiff<>(before.segments(), after.segments(),
                segment -> segments.bytes(segment.sha256(), segment.bytes(), segment.rawBytes()));
        while (diff.next()) {
            if (diff.isDelete()) {
                ByteArrayOutputStream line = new ByteArrayOutputStream();
                PolicyLine.appendDelete(line, diff.line().key());
                byte[] bytes = line.toByteArray();
                sink.line(bytes, 0, bytes.length);
            } else {
                put(diff.line(), diff.raw(), sink);
            }
        }
    }
}
