package io.bellwether.refresh;

import java.nio.charset.StandardCharsets;
import java.security.DigestException;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.bellwether.database.BinaryCopyOut;
import io.bellwether.lease.LeaseLostException;
import io.bellwether.policy.Sha256;
import io.bellwether.source.FeedException;
import io.bellwether.source.FeedPolicy;
import io.bellwether.source.FeedStream;

/**
 * Streams a feed against the index of what the set holds, and stages what is new, changed or gone. Memory: the index and
 * one policy. Not thread safe.
 */
final class FeedDiff implements AutoCloseable {
    private static final int LISTED_REPETITIONS = 20;
    private static final int SHOWN_KEY = 80;
    /** How many policies go by between two looks at the lease. */
    private static final int LOOK_MASK = 0x3ff;

    private final SetState set;
    private final RunWatch watch;
    private final Pace.Steps steps;
    private final Staging staging;
    private final boolean refuseRepeated;
    private final @Nullable IndexFile file;
    private final IndexUpdate update;
    private final PolicyIndex index;
    private final MessageDigest digest = Sha256.newDigest();
    private final byte[] keySha256 = new byte[Sha256.LENGTH];
    private final byte[] bodySha256 = new byte[Sha256.LENGTH];
    private final List<String> repetitions = new ArrayList<>();
    private long repeated;
    private long added;

    /**
     * A comparison that has not begun.
     *
     * @param files where this host keeps what sets hold
     * @param refuseRepeated whether a feed that has a key twice will be refused, so that nothing need be staged of it;
     *        otherwise the last of each key counts
     */
    FeedDiff(SetState set, RunWatch watch, Staging staging, IndexFiles files, boolean refuseRepeated) {
        this.set = set;
        this.watch = watch;
        this.steps = watch.steps();
        this.staging = staging;
        this.refuseRepeated = refuseRepeated;
        watch.enter("index");
        IndexFile read = files.open(set);
        this.file = read;
        this.update = files.update(set, read);
        this.index = read == null ? new PolicyIndex(set.policies()) : read.index();
    }

    /**
     * Compares. Nothing is staged of a feed that is refused for a repeated key.
     *
     * @param reader reads what the set holds; free before the staging is used
     * @throws FeedException if the feed is bad or could not be read
     */
    Difference run(Connection reader, FeedStream feed)
            throws SQLException, FeedException, LeaseLostException, InterruptedException {
        if (set.published() && file == null) {
            loadIndex(reader);
        }
        watch.phaseOver(set.name());
        watch.enter("diff");
        long same = stream(feed);
        long upserts = staging.endCopy();
        long deletes = index.unseen();
        if (repeated > 0 && !refuseRepeated) {
            upserts = staging.settle(set.setId());
            same = index.size() - deletes - upserts;
        }
        return new Difference(index.size() - deletes, upserts, added, deletes, same, repeated, repetitions);
    }

    /** Stages the keys of the policies that the feed did not bring; to be called when there are some. */
    void stageVanished(Connection reader) throws Exception {
        long found = file == null ? vanishedInTable(reader) : vanishedInFile(file);
        staging.endCopy();
        if (found != index.unseen()) {
            throw new IllegalStateException("the set was changed meanwhile: " + found + " of " + index.unseen()
                    + " vanished policies found");
        }
    }

    private long vanishedInFile(IndexFile keys) throws Exception {
        long[] found = {0};
        keys.keys((buffer, hash, key, length) -> {
            if (index.takeUnseen(buffer, hash)) {
                staging.vanish(buffer, key, length);
                update.delete(buffer, hash);
                found[0]++;
            }
        });
        watch.check();
        return found[0];
    }

    private long vanishedInTable(Connection reader) throws SQLException, LeaseLostException, InterruptedException {
        long found = 0;
        try (BinaryCopyOut rows = new BinaryCopyOut(reader, "select key from policy where set_id = " + set.setId(),
                1)) {
            for (long n = 0; rows.next(); n++) {
                digest.update(rows.row(), rows.offset(0), rows.length(0));
                finish(keySha256);
                if (index.takeUnseen(keySha256, 0)) {
                    staging.vanish(rows.row(), rows.offset(0), rows.length(0));
                    found++;
                }
                look(n);
            }
        }
        return found;
    }

    /** Keeps what the set holds now, for the next refresh on this host. */
    void keep(@Nullable Sha256 content) {
        if (content != null) {
            update.publish(content);
        }
    }

    @Override
    public void close() {
        update.close();
        if (file != null) {
            file.close();
        }
    }

    private void loadIndex(Connection reader) throws SQLException, LeaseLostException, InterruptedException {
        try (BinaryCopyOut rows = new BinaryCopyOut(reader,
                "select key, body_sha256 from policy where set_id = " + set.setId(), 2)) {
            for (long n = 0; rows.next(); n++) {
                digest.update(rows.row(), rows.offset(0), rows.length(0));
                finish(keySha256);
                index.load(keySha256, rows.row(), rows.offset(1));
                look(n);
            }
        }
    }

    /** Returns how many policies were found as they were. */
    private long stream(FeedStream feed) throws SQLException, FeedException, LeaseLostException, InterruptedException {
        long same = 0;
        FeedPolicy policy = feed.next();
        for (long n = 1; policy != null; policy = feed.next(), n++) {
            policy.updateWithKey(digest);
            finish(keySha256);
            policy.updateWithBody(digest);
            finish(bodySha256);
            boolean stage = false;
            switch (index.offer(keySha256, bodySha256)) {
                case SAME -> same++;
                case CHANGED -> stage = true;
                case NEW -> {
                    added++;
                    stage = true;
                }
                case AGAIN -> {
                    repeat(policy);
                    stage = true;
                }
            }
            if (stage && !(refuseRepeated && repeated > 0)) {
                staging.put(policy, bodySha256);
            }
            if (stage || update.whole()) {
                update.put(keySha256, bodySha256, policy.keyBuffer(), policy.keyOffset(), policy.keyLength());
            }
            steps.row(policy.bodyLength());
            if ((n & LOOK_MASK) == 0) {
                look(n, feed);
            }
        }
        look(feed.policies(), feed);
        return same;
    }

    private void repeat(FeedPolicy policy) {
        repeated++;
        if (repetitions.size() < LISTED_REPETITIONS) {
            String key = new String(policy.keyBuffer(), policy.keyOffset(), policy.keyLength(), StandardCharsets.UTF_8);
            int length = key.codePointCount(0, key.length());
            String shown = length <= SHOWN_KEY ? key : key.substring(0, key.offsetByCodePoints(0, SHOWN_KEY)) + "…";
            repetitions.add("line " + policy.line() + ": \"" + shown + "\"");
        }
    }

    /** Looks while the set's own policies go by. */
    private void look(long rows) throws LeaseLostException, InterruptedException {
        steps.row(0);
        if ((rows & LOOK_MASK) == 0) {
            watch.at(rows, 0, set.policies() == 0 ? 0 : (double) rows / (double) set.policies());
            watch.check();
        }
    }

    /** Looks while the feed goes by, whose length is that of the set where the source does not tell. */
    private void look(long rows, FeedStream feed) throws LeaseLostException, InterruptedException {
        double expected = feed.expectedBytes().orElse(0);
        double share = expected > 0
                ? feed.receivedBytes() / expected
                : set.rawBytes() == 0 ? 0 : (double) feed.feedBytes() / (double) set.rawBytes();
        watch.at(rows, feed.feedBytes(), share < 1 || expected > 0 ? share : 0);
        watch.check();
    }

    private void finish(byte[] into) {
        try {
            digest.digest(into, 0, into.length);
        } catch (DigestException e) {
            throw new AssertionError(e);
        }
    }
}
