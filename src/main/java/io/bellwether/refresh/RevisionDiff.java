package io.bellwether.refresh;

import java.security.DigestException;
import java.security.MessageDigest;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.bellwether.lease.LeaseLostException;
import io.bellwether.policy.PolicyLines;
import io.bellwether.policy.SegmentRef;
import io.bellwether.policy.Sha256;

/**
 * How one revision's content differs from another's, in key order, reading only segments that are not in both. Holds one
 * segment of each in memory. Not thread safe.
 */
final class RevisionDiff {
    private static final int LOOK_MASK = 0x3ff;

    private final List<SegmentRef> from;
    private final List<SegmentRef> to;
    private final Lines lines;
    private final RunWatch watch;
    private final MessageDigest digest = Sha256.newDigest();
    private final byte[] bodySha256 = new byte[Sha256.LENGTH];
    private long upserts;
    private long added;
    private long deletes;

    /** Where the lines of segments come from. */
    @FunctionalInterface
    interface Lines {
        byte[] of(SegmentRef segment) throws SQLException;
    }

    private interface Changes {
        void put(byte[] key, byte[] raw, PolicyLines line, boolean isNew) throws SQLException, InterruptedException;

        void delete(byte[] key) throws SQLException, InterruptedException;
    }

    RevisionDiff(List<SegmentRef> from, List<SegmentRef> to, Lines lines, RunWatch watch) {
        this.from = from;
        this.to = to;
        this.lines = lines;
        this.watch = watch;
    }

    /**
     * Stages what leads from the one to the other, and adds it to a delta. Runs once over the changes for what is put,
     * and once more for what is deleted if anything is, as a connection takes rows for one table at a time.
     *
     * @param policies in the content after it
     */
    Difference stage(Staging staging, DeltaBuilder delta, long policies)
            throws SQLException, InterruptedException, LeaseLostException {
        walk(new Changes() {
            @Override
            public void put(byte[] key, byte[] raw, PolicyLines line, boolean isNew)
                    throws SQLException, InterruptedException {
                upserts++;
                added += isNew ? 1 : 0;
                staging.put(key, 0, key.length, raw, line.bodyOffset(), line.bodyLength(), bodyHash(raw, line));
                delta.put(key, raw, line.bodyOffset(), line.bodyLength());
            }

            @Override
            public void delete(byte[] key) throws SQLException, InterruptedException {
                deletes++;
                delta.delete(key);
            }
        });
        staging.endCopy();
        if (deletes > 0) {
            walk(new Changes() {
                @Override
                public void put(byte[] key, byte[] raw, PolicyLines line, boolean isNew) {
                    // Staged before.
                }

                @Override
                public void delete(byte[] key) throws SQLException {
                    staging.vanish(key, 0, key.length);
                }
            });
            staging.endCopy();
        }
        return new Difference(policies, upserts, added, deletes, policies - upserts, 0, List.of());
    }

    private void walk(Changes changes) throws SQLException, InterruptedException, LeaseLostException {
        Cursor old = new Cursor(from);
        Cursor now = new Cursor(to);
        for (long n = 1;; n++) {
            skipCommon(old, now);
            PolicyLines before = old.line();
            PolicyLines after = now.line();
            if (before == null && after == null) {
                return;
            }
            int order = before == null
                    ? 1
                    : after == null ? -1 : Arrays.compareUnsigned(before.key(), after.key());
            if (order < 0 && before != null) {
                changes.delete(before.key());
            } else if (after != null && (order > 0 || before == null || !sameBody(old.raw, before, now.raw, after))) {
                changes.put(after.key(), now.raw, after, order > 0);
            }
            if (order <= 0) {
                old.advance();
            }
            if (order >= 0) {
                now.advance();
            }
            if ((n & LOOK_MASK) == 0) {
                watch.at(n, 0);
                watch.check();
            }
        }
    }

    private static void skipCommon(Cursor old, Cursor now) {
        while (old.isBetween() && now.isBetween() && old.hasNext() && now.hasNext()
                && old.upcoming().rawSha256().equals(now.upcoming().rawSha256())) {
            old.skip();
            now.skip();
        }
    }

    private static boolean sameBody(byte[] oldRaw, PolicyLines old, byte[] raw, PolicyLines now) {
        return Arrays.equals(oldRaw, old.bodyOffset(), old.bodyOffset() + old.bodyLength(), raw, now.bodyOffset(),
                now.bodyOffset() + now.bodyLength());
    }

    private byte[] bodyHash(byte[] raw, PolicyLines line) {
        digest.update(raw, line.bodyOffset(), line.bodyLength());
        try {
            digest.digest(bodySha256, 0, bodySha256.length);
        } catch (DigestException e) {
            throw new AssertionError(e);
        }
        return bodySha256;
    }

    /** Walks over the lines of a manifest, reading a segment when its first line is asked for. */
    private final class Cursor {
        private final List<SegmentRef> all;
        private int next;
        private byte[] raw = {};
        private @Nullable PolicyLines open;

        Cursor(List<SegmentRef> all) {
            this.all = all;
        }

        boolean isBetween() {
            return open == null;
        }

        boolean hasNext() {
            return next < all.size();
        }

        SegmentRef upcoming() {
            return all.get(next);
        }

        void skip() {
            next++;
        }

        /** The line it stands on, or null at the end. */
        @Nullable
        PolicyLines line() throws SQLException {
            while (open == null && hasNext()) {
                raw = lines.of(all.get(next++));
                open = new PolicyLines(raw, raw.length);
                advance();
            }
            return open;
        }

        void advance() {
            if (open != null && !open.next()) {
                open = null;
            }
        }
    }
}
