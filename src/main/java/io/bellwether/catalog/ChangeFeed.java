package io.bellwether.catalog;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

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
 * <p>Four ways to the same lines: from nothing, the head's segments as puts; from a kept revision, its deltas merged in
 * memory, the latest wins, when they are small; otherwise the two manifests side by side, opening only segments that
 * differ, two at a time; and where the contents of the revision are gone, the keys in its deltas, sorted on disk when they
 * are many, beside the head's segments. So the memory of a feed is bounded whatever the distance.
 */
public final class ChangeFeed {
    private static final long MERGE_BYTES = 4L << 20;
    private static final long KEYS_BYTES = 8L << 20;

    /** Deltas are read up to here however small the set is. */
    private static final long ALWAYS_BYTES = 64L << 20;

    /** Deltas that have more lines than the whole set by this factor are not worth reading: the set is quicker. */
    private static final long LONGEST = 2;

    /** While nothing is written for so long, a space is: the front gives up an answer that falls silent. */
    private static final long SILENCE_NANOS = Duration.ofSeconds(2).toNanos();

    private final SegmentStore store;
    private final SegmentLines segments;

    /** Feeds from that store. */
    public ChangeFeed(SegmentStore store) {
        this.store = store;
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
     * @param since 0 for nothing, or a revision that {@link #check} found good
     * @return how many lines
     * @throws Fault {@link FaultKind#REVISION_GONE} before the first line if it is not
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
            check(set, since);
            Manifest before = set.manifest(since).orElse(null);
            if (deltaBytes(set, since, MERGE_BYTES) <= MERGE_BYTES) {
                merge(set, since, sink);
            } else if (before != null) {
                compare(before, set.manifest(), sink);
            } else {
                lookUp(set, since, out, sink);
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
        long deltas = deltaBytes(set, since, MERGE_BYTES);
        if (deltas <= MERGE_BYTES) {
            return 2 * deltas;
        }
        return head
                + set.manifest(since).map(SegmentLines::largest).orElseGet(() -> 2 * KEYS_BYTES + largest(set, since));
    }

    /**
     * Checks that a feed can begin at {@code since}.
     *
     * @throws Fault {@link FaultKind#REVISION_GONE} if it is not kept; or its contents are not, and what changed since is
     *         not either or is a multiple of the set
     */
    public static void check(SetState set, long since) {
        if (since == 0 || since == set.revision() || set.hasContents(since)) {
            return;
        }
        if (set.revision(since).isEmpty()) {
            throw new Fault(FaultKind.REVISION_GONE, "revision " + since + " of " + set.name()
                    + " is no longer kept, the oldest is " + set.oldestRevision() + "; fetch the whole set");
        }
        long most = Math.max(ALWAYS_BYTES, LONGEST * set.head().rawBytes());
        if (deltaBytes(set, since, most) > most) {
            throw new Fault(FaultKind.REVISION_GONE, "revision " + since + " of " + set.name()
                    + " is kept as a change only, and too much changed since then; the oldest whose contents are kept is "
                    + set.oldestContents() + "; fetch the whole set");
        }
    }

    /** The raw bytes of the deltas behind {@code since}, or more than {@code most}; so, too, when one is not kept. */
    private static long deltaBytes(SetState set, long since, long most) {
        long bytes = 0;
        for (long r = since + 1; r <= set.revision() && bytes <= most; r++) {
            List<DeltaSegment> delta = set.delta(r);
            if (delta == null) {
                return Long.MAX_VALUE;
            }
            bytes += delta.stream().mapToLong(DeltaSegment::rawBytes).sum();
        }
        return bytes;
    }

    /** The raw bytes of the largest segment in the deltas behind {@code since}. */
    private static long largest(SetState set, long since) {
        long largest = 0;
        for (long r = since + 1; r <= set.revision(); r++) {
            for (DeltaSegment segment : delta(set, r)) {
                largest = Math.max(largest, segment.rawBytes());
            }
        }
        return largest;
    }

    private static List<DeltaSegment> delta(SetState set, long revision) {
        List<DeltaSegment> delta = set.delta(revision);
        return delta == null ? List.of() : delta;
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
            for (DeltaSegment segment : delta(set, r)) {
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

    /** Gathers the keys that changed, and says of each what the head has. */
    private void lookUp(SetState set, long since, OutputStream out, Sink sink) throws IOException {
        try (ChangedKeys keys = new ChangedKeys(KEYS_BYTES, store::scratch)) {
            out.flush();
            long told = System.nanoTime();
            for (long r = since + 1; r <= set.revision(); r++) {
                for (DeltaSegment segment : delta(set, r)) {
                    PolicyLines lines = segments.open(segment.sha256(), segment.bytes(), segment.rawBytes());
                    while (lines.next()) {
                        keys.add(lines.key());
                    }
                    if (System.nanoTime() - told > SILENCE_NANOS) {
                        out.write(' ');
                        out.flush();
                        told = System.nanoTime();
                    }
                }
            }
            HeadLines head = new HeadLines(set.manifest());
            keys.forEach(key -> {
                if (head.seek(key)) {
                    put(head.lines(), head.raw, sink);
                } else {
                    delete(key, sink);
                }
            });
        }
    }

    /** Goes through a manifest's policies forward, opening only the segments that are asked for. */
    private final class HeadLines {
        private final Manifest manifest;
        private int index = -1;
        private byte[] raw = {};
        private @Nullable PolicyLines lines;
        private boolean standing;

        HeadLines(Manifest manifest) {
            this.manifest = manifest;
        }

        /** Whether there is a policy of that key, which sorts behind the one asked for before. */
        boolean seek(byte[] key) throws IOException {
            int wanted = manifest.indexOf(key);
            if (wanted < 0) {
                return false;
            }
            if (wanted != index) {
                index = wanted;
                SegmentRef segment = manifest.segments().get(wanted);
                raw = segments.bytes(segment.sha256(), segment.bytes(), segment.rawBytes());
                lines = new PolicyLines(raw, raw.length);
                standing = lines.next();
            }
            while (standing && Arrays.compareUnsigned(lines().key(), key) < 0) {
                standing = lines().next();
            }
            return standing && Arrays.equals(lines().key(), key);
        }

        PolicyLines lines() {
            return Objects.requireNonNull(lines);
        }
    }

    private void compare(Manifest before, Manifest after, Sink sink) throws IOException {
        LineDiff<IOException> diff = new LineDiff<>(before.segments(), after.segments(),
                segment -> segments.bytes(segment.sha256(), segment.bytes(), segment.rawBytes()));
        while (diff.next()) {
            if (diff.isDelete()) {
                delete(diff.line().key(), sink);
            } else {
                put(diff.line(), diff.raw(), sink);
            }
        }
    }

    private static void delete(byte[] key, Sink sink) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        PolicyLine.appendDelete(line, key);
        byte[] bytes = line.toByteArray();
        sink.line(bytes, 0, bytes.length);
    }
}
