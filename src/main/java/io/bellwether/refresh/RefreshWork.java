package io.bellwether.refresh;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import io.bellwether.database.Database;
import io.bellwether.fault.Failpoint;
import io.bellwether.lease.JobWork;
import io.bellwether.lease.RunLease;
import io.bellwether.lease.RunResult;
import io.bellwether.policy.SetDefinition;
import io.bellwether.policy.Sha256;
import io.bellwether.source.FeedException;
import io.bellwether.source.FeedSource;
import io.bellwether.source.FeedStream;
import io.bellwether.source.FeedTotals;
import io.bellwether.source.Opened;
import io.bellwether.source.SourceRequest;
import io.bellwether.source.SourceTimeouts;
import io.bellwether.source.Validators;
import io.bellwether.telemetry.Meters;

/**
 * The work of a refresh job: brings a set to what its source says now. Thread safe.
 *
 * <p>Phases: <em>fetch</em> until the source has answered, <em>diff</em> until the feed was read and compared,
 * <em>build</em> until the segments are stored, <em>publish</em>. Whatever happens before the COMMIT of the last one,
 * readers see nothing of it.
 */
public final class RefreshWork implements JobWork {
    /** The source's own limit is this much longer than the run's, so that it is always the run that takes too long. */
    private static final Duration SOURCE_AFTER = Duration.ofSeconds(5);
    private static final Duration SHORT = Duration.ofSeconds(10);
    private final Database database;
    private final FeedSource source;
    private final Meters meters;
    private final IndexFiles indexes;
    private final Pace pace;

    /**
     * A work that keeps nothing of a run for the next but its pace.
     *
     * @param database where the sets are
     * @param source where the feeds come from
     * @param meters counts rows, phases and segments
     * @param indexes where this host keeps what sets hold
     * @param asked whether readers ask this process, so that a run makes room for them; thread safe and quick
     */
    public RefreshWork(Database database, FeedSource source, Meters meters, IndexFiles indexes, BooleanSupplier asked) {
        this.database = database;
        this.source = source;
        this.meters = meters;
        this.indexes = indexes;
        this.pace = new Pace(asked);
    }

    @Override
    public RunResult perform(RunLease lease) throws Exception {
        RefreshRequest request = RefreshRequest.parse(lease.request());
        try (RunWatch watch = new RunWatch(lease, meters, pace)) {
            try {
                SetState set = database.<SetState, RuntimeException>inTransaction("load set", SHORT,
                        connection -> SetState.load(connection, lease.jobId()));
                watch.limit(set.definition().maxRuntime());
                return switch (request) {
                    case RefreshRequest.Follow ignored -> refresh(lease, watch, set, null);
                    case RefreshRequest.Approve approve -> refresh(lease, watch, set, approve.candidate());
                    case RefreshRequest.Rollback back -> new Rollback(database, meters, set, watch, lease)
                            .to(back.revision());
                };
            } catch (FeedException e) {
                watch.check();
                String reason = String.valueOf(e.getMessage());
                return e.problem().isContent() ? RunResult.refused(reason, 0, 0, 0) : RunResult.failed(reason);
            } catch (RefusedException e) {
                return e.result();
            } catch (HeadMovedException e) {
                return RunResult.failed(String.valueOf(e.getMessage()));
            } catch (SQLException | RuntimeException e) {
                watch.check();
                throw e;
            }
        }
    }

    /**
     * Follows the source.
     *
     * @param approved the only content that may be published, whatever the guard says; or null
     */
    private RunResult refresh(RunLease lease, RunWatch watch, SetState set, @Nullable Sha256 approved)
            throws Exception {
        watch.enter("fetch");
        Duration limit = set.definition().maxRuntime();
        Opened opened = source.open(SourceRequest
                .of(set.definition().source(), approved == null ? set.validators() : Validators.NONE)
                .withTimeouts(SourceTimeouts.DEFAULT.within(limit.plus(SOURCE_AFTER))));
        watch.phaseOver(set.name());
        return switch (opened) {
            case Opened.NotModified same -> unchanged(set, "the source says: not modified");
            case FeedStream feed -> {
                try (feed) {
                    yield refresh(lease, watch, set, feed, approved);
                }
            }
        };
    }

    private RunResult refresh(RunLease lease, RunWatch watch, SetState set, FeedStream feed,
            @Nullable Sha256 approved) throws Exception {
        SetDefinition.Guard guard = set.definition().guard();
        try (Connection connection = StagingConnection.open(database);
                Staging staging = new Staging(connection);
                FeedDiff diff = new FeedDiff(set, watch, staging, indexes,
                        approved == null && guard.duplicateKeys() == SetDefinition.DuplicateKeys.REFUSE)) {
            watch.guard(connection);
            Difference difference = compare(watch, set, feed, connection, diff, approved);
            watch.phaseOver(set.name());
            Failpoint.reach(Failpoint.FEED_READ, lease.job());
            if (difference.isNothing() && set.published()) {
                rememberFeed(set, feed);
                diff.keep(set.contentSha256());
                return unchanged(set, null);
            }
            Publisher publisher = new Publisher(database, meters, set, watch, lease);
            RunResult result = publisher.publish(connection, staging, difference,
                    new FeedMark(feed.validators(), feed.totals().receivedSha256(), set.sourceSha256()));
            if (result.state() == RunResult.State.PUBLISHED) {
                diff.keep(publisher.content());
            }
            count(set, difference);
            return result;
        }
    }

    private Difference compare(RunWatch watch, SetState set, FeedStream feed, Connection connection, FeedDiff diff,
            @Nullable Sha256 approved) throws Exception {
        Difference difference = diff.run(connection, feed);
        feed.close();
        String refusal = FeedGuard.refusal(set.definition().guard(), difference, set.policies(), set.published());
        Sha256 content = feed.totals().contentSha256();
        if (approved == null && refusal != null) {
            throw new RefusedException(refusal, difference, content);
        }
        if (approved != null && !approved.equals(content)) {
            throw new RefusedException(FeedGuard.notTheCandidate(approved, content, refusal), difference,
                    refusal == null ? null : content);
        }
        watch.check();
        if (difference.deletes() > 0) {
            database.<Boolean, Exception>inTransaction("find vanished policies", set.definition().maxRuntime(),
                    reader -> {
                        diff.stageVanished(reader);
                        return true;
                    });
        }
        return difference;
    }

    /** Keeps by what to recognise this feed, whose content is that of the head. */
    private void rememberFeed(SetState set, FeedStream feed) throws SQLException {
        FeedTotals totals = feed.totals();
        database.<Integer, RuntimeException>inTransaction("remember feed", SHORT, connection -> {
            try (PreparedStatement update = connection.prepareStatement("""
                    update policy_set s set feed_etag = n.etag, feed_last_modified = n.modified, feed_sha256 = n.feed,
                        feed_source_sha256 = n.source
                    from (select ?::text, ?::text, ?::bytea, ?::bytea) as n(etag, modified, feed, source)
                    where s.set_id = ? and s.revision = ? and
                        (s.feed_etag, s.feed_last_modified, s.feed_sha256, s.feed_source_sha256) is distinct from
                        (n.etag, n.modified, n.feed, n.source)""")) {
                update.setString(1, feed.validators().etag());
                update.setString(2, feed.validators().lastModified());
                update.setBytes(3, totals.receivedSha256().bytes());
                update.setBytes(4, set.sourceSha256().bytes());
                update.setLong(5, set.setId());
                update.setLong(6, set.revision());
                return update.executeUpdate();
            }
        });
    }

    private RunResult unchanged(SetState set, @Nullable String reason) {
        meters.refreshRows(set.name(), "unchanged", set.policies());
        return RunResult.unchanged(set.policies(), reason);
    }

    private void count(SetState set, Difference difference) {
        meters.refreshRows(set.name(), "upsert", difference.upserts());
        meters.refreshRows(set.name(), "delete", difference.deletes());
        meters.refreshRows(set.name(), "unchanged", difference.unchanged());
    }
}
