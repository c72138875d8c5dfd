package io.bellwether.refresh;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.bellwether.database.Database;
import io.bellwether.lease.RunLease;
import io.bellwether.lease.RunResult;
import io.bellwether.policy.Manifest;
import io.bellwether.policy.SegmentRef;
import io.bellwether.policy.Sha256;
import io.bellwether.telemetry.Meters;

/**
 * Publishes the content of a kept revision as the next one. For one run, on its thread.
 *
 * <p>Its segments are there: the new revision consists of the same ones, and so has the same content hash. Only what
 * differs from the head is read, to bring the rows of the table along and to tell followers. The source still has what
 * was rolled back from, so the same transaction pauses the job; an operator resumes it when the source is right again.
 */
final class Rollback {
    private final Database database;
    private final Meters meters;
    private final SetState set;
    private final RunWatch watch;
    private final RunLease lease;

    Rollback(Database database, Meters meters, SetState set, RunWatch watch, RunLease lease) {
        this.database = database;
        this.meters = meters;
        this.set = set;
        this.watch = watch;
        this.lease = lease;
    }

    private record Kept(Sha256 contentSha256, @Nullable Integer segmentBits) {}

    /** Rolls back to a revision, or says why that cannot be. */
    RunResult to(long revision) throws Exception {
        watch.enter("diff");
        try (Connection connection = StagingConnection.open(database); Staging staging = new Staging(connection)) {
            watch.guard(connection);
            Kept kept = kept(connection, revision);
            if (kept == null) {
                return gone(revision);
            }
            if (revision == set.revision()) {
                return RunResult.unchanged(set.policies(), "revision " + revision + " is the head already");
            }
            List<SegmentRef> head = set.segments(connection);
            List<SegmentRef> target = set.segments(connection, revision);
            Manifest manifest = Manifest.of(target);
            if (!manifest.contentSha256().equals(kept.contentSha256())) {
                if (kept(connection, revision) == null) {
                    return gone(revision);
                }
                throw new IllegalStateException("revision " + revision + " is not what its hash says");
            }
            if (head.equals(target)) {
                return RunResult.unchanged(set.policies(), "the head has the content of revision " + revision);
            }
            return publish(connection, staging, revision, kept, head, manifest);
        }
    }

    private RunResult publish(Connection connection, Staging staging, long revision, Kept kept, List<SegmentRef> head,
            Manifest target) throws Exception {
        int bits = Objects.requireNonNullElse(kept.segmentBits(),
                Objects.requireNonNullElse(set.segmentBits(), 0));
        Difference difference;
        Draft draft;
        try (SegmentReader reader = new SegmentReader(database, watch);
                SegmentPress press = new SegmentPress(new SegmentStore(database), watch::steps)) {
            DeltaBuilder delta = new DeltaBuilder(press, Draft.deltaLimit(Math.max(set.rawBytes(), target.rawBytes())));
            RevisionDiff diff = new RevisionDiff(head, target.segments(), reader::lines, watch);
            difference = diff.stage(staging, delta, target.policies());
            watch.phaseOver(set.name());
            watch.enter("build");
            draft = Draft.of(bits, head, target.segments(), delta.finish());
            meters.segmentsBuilt(press.pressed());
            watch.check();
        }
        RunResult result = new Publisher(database, meters, set, watch, lease).publishAgain(connection, staging,
                difference, draft, "rolled back to revision " + revision + " by run " + lease.runId()
                        + "; resume the job when the source is right again");
        meters.refreshRows(set.name(), "upsert", difference.upserts());
        meters.refreshRows(set.name(), "delete", difference.deletes());
        meters.refreshRows(set.name(), "unchanged", difference.unchanged());
        return result;
    }

    private RunResult gone(long revision) {
        return RunResult.failed("revision " + revision + " of " + set.name() + " is not kept any more");
    }

    /** What is known of a revision whose contents are kept, or null. */
    private @Nullable Kept kept(Connection connection, long revision) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("""
                select r.content_sha256, r.segment_bits from revision r join policy_set s using (set_id)
                where r.set_id = ? and r.revision = ? and r.revision >= s.contents_from""")) {
            query.setLong(1, set.setId());
            query.setLong(2, revision);
            try (ResultSet row = query.executeQuery()) {
                return row.next()
                        ? new Kept(Sha256.wrap(Objects.requireNonNull(row.getBytes(1))),
                                row.getObject(2, Integer.class))
                        : null;
            }
        }
    }
}
