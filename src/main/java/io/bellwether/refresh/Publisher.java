package io.bellwether.refresh;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.bellwether.database.AmbiguousCommitException;
import io.bellwether.database.Database;
import io.bellwether.database.Transactions;
import io.bellwether.fault.Failpoint;
import io.bellwether.lease.JobControl;
import io.bellwether.lease.LeaseLostException;
import io.bellwether.lease.RunLease;
import io.bellwether.lease.RunResult;
import io.bellwether.policy.Sha256;
import io.bellwether.telemetry.Meters;

/**
 * Makes the next revision of what was staged: builds its segments and runs the publishing transaction. For one refresh,
 * on its thread.
 */
final class Publisher {
    private static final Duration SHORT = Duration.ofSeconds(10);
    /** How long an unclear COMMIT is asked about, when the lease does not end earlier. */
    private static final Duration SETTLE = Duration.ofMinutes(2);
    private static final Duration SETTLE_PAUSE = Duration.ofMillis(500);

    private final Database database;
    private final Meters meters;
    private final SetState set;
    private final RunWatch watch;
    private final RunLease lease;
    private @Nullable Sha256 content;

    Publisher(Database database, Meters meters, SetState set, RunWatch watch, RunLease lease) {
        this.database = database;
        this.meters = meters;
        this.set = set;
        this.watch = watch;
        this.lease = lease;
    }

    /**
     * Publishes what was staged of a feed.
     *
     * @param connection the one that holds the staged changes
     * @param mark of the feed they come from
     */
    RunResult publish(Connection connection, Staging staging, Difference difference, FeedMark mark)
            throws Exception {
        watch.enter("build");
        lease.adopt(connection);
        // A set without policies has nothing to merge with and no readers: its rows are inserted and its segments built
        // in one pass, inside the transaction. Otherwise segments are built before the transaction begins.
        Draft early = set.policies() == 0
                ? null
                : build(connection, staging.changes(), staging.keys(), staging, difference);
        return commit(connection, staging, difference, early, mark, null);
    }

    /**
     * Publishes the content of an older revision, of whose segments the draft consists.
     *
     * @param connection the one that holds the staged changes
     * @param hold why the job is paused from then on
     */
    RunResult publishAgain(Connection connection, Staging staging, Difference difference, Draft draft, String hold)
            throws Exception {
        lease.adopt(connection);
        return commit(connection, staging, difference, draft, FeedMark.NONE, hold);
    }

    private RunResult commit(Connection connection, Staging staging, Difference difference, @Nullable Draft early,
            FeedMark mark, @Nullable String hold) throws Exception {
        RunResult result = RunResult.published(set.revision() + 1, difference.upserts(), difference.deletes(),
                difference.unchanged());
        try {
            Transactions.<RunResult, Exception>run(connection, "publish", set.definition().maxRuntime(),
                    transaction -> {
                        Draft draft = early != null
                                ? early
                                : build(transaction, staging.firstLoad(set.setId()), null, staging, difference);
                        content = draft.manifest().contentSha256();
                        watch.enter("publish");
                        if (early != null) {
                            staging.merge(transaction, set.setId(), difference);
                        }
                        Publication publication = new Publication(transaction, set);
                        publication.writeManifest(draft);
                        watch.check();
                        publication.fence(lease);
                        Failpoint.reach(Failpoint.PUBLISH_FENCED, lease.job());
                        publication.writeRevision(draft, difference, lease);
                        if (hold != null) {
                            JobControl.hold(transaction, lease.jobId(), hold);
                        }
                        publication.moveHead(draft, mark, lease, result);
                        Failpoint.reach(Failpoint.PUBLISH_SENT, lease.job());
                        return result;
                    });
            Failpoint.reach(Failpoint.PUBLISH_COMMITTED, lease.job());
        } catch (AmbiguousCommitException e) {
            return settle(result, e);
        }
        watch.phaseOver(set.name());
        return result;
    }

    /** The hash of the content that was published, if it was. */
    @Nullable
    Sha256 content() {
        return content;
    }

    private Draft build(Connection connection, String changes, @Nullable String keys, Staging staging,
            Difference difference) throws Exception {
        try (SegmentReader reader = new SegmentReader(database, watch);
                SegmentPress press = new SegmentPress(new SegmentStore(database), watch::steps)) {
            Draft draft = new DraftBuilder(set, watch, reader, press).build(set.segments(connection), connection,
                    changes, keys, difference, staging.rawBytes());
            meters.segmentsBuilt(press.pressed());
            watch.phaseOver(set.name());
            watch.check();
            return draft;
        }
    }

    /** Finds out whether an unclear COMMIT took place. Waits for the transaction to end, if it is under way still. */
    private RunResult settle(RunResult result, SQLException unclear)
            throws SQLException, LeaseLostException, InterruptedException {
        long end = System.nanoTime() + SETTLE.toNanos();
        while (true) {
            try {
                return isPublished()
                        ? result
                        : RunResult.failed("the connection to the database was lost right before COMMIT");
            } catch (SQLException e) {
                unclear.addSuppressed(e);
                if (System.nanoTime() > end) {
                    throw unclear;
                }
            }
            watch.check();
            Thread.sleep(SETTLE_PAUSE);
        }
    }

    private boolean isPublished() throws SQLException {
        return database.<Boolean, RuntimeException>inTransaction("settle publish", SHORT, connection -> {
            try (PreparedStatement query = connection
                    .prepareStatement("select state from run where run_id = ? for share")) {
                query.setLong(1, lease.runId());
                try (ResultSet row = query.executeQuery()) {
                    return row.next() && RunResult.State.PUBLISHED.text().equals(row.getString(1));
                }
            }
        });
    }
}
