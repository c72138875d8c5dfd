package io.bellwether.catalog;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.bellwether.policy.PolicyLines;
import io.bellwether.policy.SegmentRef;

/** Single policies and pages of them, read from a revision's segments. Thread safe. */
public final class PolicyReads {
    /** A page ends early when its lines reach this many bytes. */
    private static final int PAGE_BYTES = 1 << 20;

    private final SegmentLines segments;

    /** Reads from that store. */
    public PolicyReads(SegmentStore store) {
        this.segments = new SegmentLines(store);
    }

    /**
     * A page of policies.
     *
     * @param lines canonical lines, each with its line feed
     * @param count how many
     * @param next the last key, when there are more; or null
     */
    public record Page(byte[] lines, int count, byte @Nullable [] next) {}

    /**
     * The segment in which the policy of that key would be; nothing when it sorts before all. A policy that is there
     * stays as it is for as long as this stays the same.
     */
    public static Optional<SegmentRef> segmentOf(SetState set, byte[] key) {
        int index = set.manifest().indexOf(key);
        return index < 0 ? Optional.empty() : Optional.of(set.manifest().segments().get(index));
    }

    /** How much of the heap a page of that set takes at most, in bytes: a segment, the page and two copies of it. */
    public static long pageHeapBytes(SetState set) {
        return SegmentLines.largest(set.manifest()) * 2 + 3L * PAGE_BYTES;
    }

    /** The canonical line of the policy with that key, without its line feed, if that segment has it. */
    public Optional<byte[]> find(SegmentRef segment, byte[] key) throws IOException {
        byte[] raw = segments.bytes(segment.sha256(), segment.bytes(), segment.rawBytes());
        PolicyLines lines = new PolicyLines(raw, raw.length);
        while (lines.next()) {
            int order = Arrays.compareUnsigned(lines.key(), key);
            if (order == 0) {
                return Optional.of(Arrays.copyOfRange(raw, lines.offset(), lines.offset() + lines.length() - 1));
            }
            if (order > 0) {
                break;
            }
        }
        return Optional.empty();
    }

    /**
     * The policies in key order whose keys begin with {@code prefix} and sort behind {@code after}.
     *
     * @param prefix empty for all keys
     * @param after empty for the first page
     * @param limit how many at most
     */
    public Page page(SetState set, byte[] prefix, byte[] after, int limit) throws IOException {
        byte[] from = Arrays.compareUnsigned(prefix, after) > 0 ? prefix : after;
        List<SegmentRef> all = set.manifest().segments();
        ByteArrayOutputStream page = new ByteArrayOutputStream();
        byte[] last = {};
        int count = 0;
        for (int i = Math.max(0, set.manifest().indexOf(from)); i < all.size(); i++) {
            SegmentRef segment = all.get(i);
            if (Arrays.compareUnsigned(segment.firstKey(), prefix) > 0
                    && !SegmentLines.startsWith(segment.firstKey(), prefix)) {
                break;
            }
            byte[] raw = segments.bytes(segment.sha256(), segment.bytes(), segment.rawBytes());
            PolicyLines lines = new PolicyLines(raw, raw.length);
            while (lines.next()) {
                if (Arrays.compareUnsigned(lines.key(), after) <= 0
                        || !SegmentLines.startsWith(lines.key(), prefix)) {
                    continue;
                }
                if (count == limit || page.size() >= PAGE_BYTES) {
                    return new Page(page.toByteArray(), count, last);
                }
                page.write(raw, lines.offset(), lines.length());
                last = lines.key();
                count++;
            }
        }
        return new Page(page.toByteArray(), count, null);
    }
}
