package io.bellwether.policy;

import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Walks over what differs between two contents, in key order: of two manifests side by side, only the segments that are
 * not in both are read, one of each at a time. It stands before the first difference at first. Not thread safe.
 *
 * @param <E> what reading a segment can throw
 */
public final class LineDiff<E extends Exception> {
    private final Source<E> source;
    private final Cursor old;
    private final Cursor now;
    private int order;
    private boolean standing;

    /** Where the lines of segments come from. */
    @FunctionalInterface
    public interface Source<E extends Exception> {
        /** The uncompressed lines of a segment. */
        byte[] lines(SegmentRef segment) throws E;
    }

    /**
     * Over what leads from one content to another.
     *
     * @param from the segments of the one, in key order
     * @param to those of the other
     * @param source asked once for each segment that is not in both
     */
    public LineDiff(List<SegmentRef> from, List<SegmentRef> to, Source<E> source) {
        this.source = source;
        this.old = new Cursor(from);
        this.now = new Cursor(to);
    }

    /**
     * Goes on to the next difference.
     *
     * @return false at the end
     * @throws E as the source does
     */
    public boolean next() throws E {
        if (standing) {
            advance();
        }
        while (true) {
            skipCommon();
            PolicyLines before = old.line();
            PolicyLines after = now.line();
            if (before == null && after == null) {
                standing = false;
                return false;
            }
            order = before == null ? 1 : after == null ? -1 : Arrays.compareUnsigned(before.key(), after.key());
            if (order != 0 || !isSameLine()) {
                standing = true;
                return true;
            }
            advance();
        }
    }

    /** Whether the key is gone; then {@link #line} is the line that was there. */
    public boolean isDelete() {
        return order < 0;
    }

    /** Whether the key was not there before. */
    public boolean isNew() {
        return order > 0;
    }

    /** The line of the later content, or of the earlier one where the key is gone. */
    public PolicyLines line() {
        PolicyLines line = order < 0 ? old.open : now.open;
        if (!standing || line == null) {
            throw new IllegalStateException("it stands at no difference");
        }
        return line;
    }

    /** What {@link #line} is in. */
    public byte[] raw() {
        return order < 0 ? old.raw : now.raw;
    }

    private void advance() {
        if (order <= 0) {
            old.advance();
        }
        if (order >= 0) {
            now.advance();
        }
    }

    private void skipCommon() {
        while (old.isBetween() && now.isBetween() && old.hasNext() && now.hasNext()
                && old.upcoming().rawSha256().equals(now.upcoming().rawSha256())) {
            old.next++;
            now.next++;
        }
    }

    /** A key's canonical lines differ exactly when its bodies do. */
    private boolean isSameLine() {
        PolicyLines a = old.open;
        PolicyLines b = now.open;
        return a != null && b != null && Arrays.equals(old.raw, a.offset(), a.offset() + a.length(), now.raw,
                b.offset(), b.offset() + b.length());
    }

    /** Walks over the lines of a manifest, reading a segment when its first line is asked for. */
    private final class Cursor {
        private final List<SegmentRef> all;
        private int next;
        private byte[] raw = {};
        private @Nullable PolicyLines open;

        private Cursor(List<SegmentRef> all) {
            this.all = all;
        }

        /** Whether it stands between two segments. */
        private boolean isBetween() {
            return open == null;
        }

        private boolean hasNext() {
            return next < all.size();
        }

        private SegmentRef upcoming() {
            return all.get(next);
        }

        /** The line it stands on, or null at the end. */
        private @Nullable PolicyLines line() throws E {
            while (open == null && hasNext()) {
                raw = source.lines(all.get(next++));
                open = new PolicyLines(raw, raw.length);
                advance();
            }
            return open;
        }

        private void advance() {
            if (open != null && !open.next()) {
                open = null;
            }
        }
    }
}
