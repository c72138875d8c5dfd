package io.bellwether.refresh;

import java.security.DigestException;
import java.security.MessageDigest;
import java.sql.SQLException;
import java.util.List;

import io.bellwether.lease.LeaseLostException;
import io.bellwether.policy.LineDiff;
import io.bellwether.policy.PolicyLines;
import io.bellwether.policy.SegmentRef;
import io.bellwether.policy.Sha256;

/**
 * Stages how one revision's content differs from another's. Holds one segment of each in memory. Not thread safe.
 */
final class RevisionDiff {
    private static final int LOOK_MASK = 0x3ff;

    private final List<SegmentRef> from;
    private final List<SegmentRef> to;
    private final LineDiff.Source<SQLException> lines;
    private final RunWatch watch;
    private final Pace.Steps steps;
    private final MessageDigest digest = Sha256.newDigest();
    private final byte[] bodySha256 = new byte[Sha256.LENGTH];

    RevisionDiff(List<SegmentRef> from, List<SegmentRef> to, LineDiff.Source<SQLException> lines, RunWatch watch) {
        this.from = from;
        this.to = to;
        this.lines = lines;
        this.watch = watch;
        this.steps = watch.steps();
    }

    /**
     * Stages what leads from the one to the other, and adds it to a delta. Runs once over the changes for what is put,
     * and once more for what is deleted if anything is, as a connection takes rows for one table at a time.
     *
     * @param policies in the content after it
     */
    Difference stage(Staging staging, DeltaBuilder delta, long policies)
            throws SQLException, InterruptedException, LeaseLostException {
        long upserts = 0;
        long added = 0;
        long deletes = 0;
        LineDiff<SQLException> diff = new LineDiff<>(from, to, lines);
        while (diff.next()) {
            PolicyLines line = diff.line();
            byte[] key = line.key();
            if (diff.isDelete()) {
                deletes++;
                delta.delete(key);
            } else {
                upserts++;
                added += diff.isNew() ? 1 : 0;
                byte[] raw = diff.raw();
                staging.put(key, 0, key.length, raw, line.bodyOffset(), line.bodyLength(), bodyHash(raw, line));
                delta.put(key, raw, line.bodyOffset(), line.bodyLength());
            }
            look(upserts + deletes);
        }
        staging.endCopy();
        if (deletes > 0) {
            vanish(staging);
        }
        return new Difference(policies, upserts, added, deletes, policies - upserts, 0, List.of());
    }

    private void vanish(Staging staging) throws SQLException, InterruptedException, LeaseLostException {
        LineDiff<SQLException> diff = new LineDiff<>(from, to, lines);
        for (long n = 1; diff.next(); n++) {
            if (diff.isDelete()) {
                byte[] key = diff.line().key();
                staging.vanish(key, 0, key.length);
            }
            look(n);
        }
        staging.endCopy();
    }

    private void look(long changes) throws InterruptedException, LeaseLostException {
        steps.row(0);
        if ((changes & LOOK_MASK) == 0) {
            watch.at(changes, 0);
            watch.check();
        }
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
}
