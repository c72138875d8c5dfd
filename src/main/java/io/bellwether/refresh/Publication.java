package io.bellwether.refresh;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.bellwether.lease.LeaseLostException;
import io.bellwether.lease.RunLease;
import io.bellwether.lease.RunResult;
import io.bellwether.policy.SegmentRef;

/**
 * The statements of the publishing transaction. In the order given here: what may take long and locks nothing that
 * others wait for, then the job's row (the fence), the head, and last of all the counter that all publishes share.
 * Stateless but for its arguments.
 */
final class Publication {
    /** From the first lock to COMMIT; a process paused there loses its connection, and its locks, by then. */
    private static final String LAST_STEPS = """
            set local lock_timeout = '10s';
            set local statement_timeout = '20s';
            set local idle_in_transaction_session_timeout = '5s'""";

    private final Connection transaction;
    private final SetState base;
    private final long revision;
    private long contentsFrom;

    /**
     * The publication of the revision after {@code base}.
     *
     * @param transaction open, rolled back by the caller when anything here throws
     */
    Publication(Connection transaction, SetState base) {
        this.transaction = transaction;
        this.base = base;
        this.revision = base.revision() + 1;
    }

    /**
     * Closes the manifest entries that the revision does not have any more, and inserts its new ones. Finds out which
     * contents are to go for them. Of a run that was paused until another had published, none is inserted, which is
     * noticed by their number: an error would be written to PostgreSQL's log.
     */
    void writeManifest(Draft draft) throws SQLException {
        update(draft.closed().size(), """
                update manifest_entry set removed_in = ?
                where set_id = ? and removed_in is null and first_key = any(?)""", revision, base.setId(),
                array("bytea", draft.closed(), SegmentRef::firstKey));
        List<SegmentRef> added = draft.added();
        update(added.size(), """
                insert into manifest_entry (set_id, first_key, added_in, sha256, raw_sha256, bytes, raw_bytes, policies)
                select ?, u.k, ?, u.s, u.r, u.b, u.rb, u.p
                from unnest(?::bytea[], ?::bytea[], ?::bytea[], ?::bigint[], ?::bigint[], ?::int[])
                    as u(k, s, r, b, rb, p)
                on conflict do nothing""", base.setId(), revision, array("bytea", added, SegmentRef::firstKey),
                array("bytea", added, s -> s.sha256().bytes()), array("bytea", added, s -> s.rawSha256().bytes()),
                array("bigint", added, SegmentRef::bytes), array("bigint", added, SegmentRef::rawBytes),
                array("integer", added, SegmentRef::policies));
        contentsFrom = OldContents.bound(transaction, base.setId(), draft.manifest().segments().size(),
                revision - base.definition().keepRevisions() + 1);
    }

    /**
     * Takes the locks, and makes sure that the run may publish and that the head is the one the draft was made from.
     *
     * @throws HeadMovedException if it is another one
     */
    void fence(RunLease lease) throws SQLException, LeaseLostException, HeadMovedException {
        try (Statement statement = transaction.createStatement()) {
            statement.execute(LAST_STEPS);
        }
        lease.fence(transaction);
        try (PreparedStatement query = transaction
                .prepareStatement("select revision from policy_set where set_id = ? for no key update")) {
            query.setLong(1, base.setId());
            try (ResultSet row = query.executeQuery()) {
                if (!row.next()) {
                    throw new HeadMovedException("the set was deleted while its refresh ran");
                }
                if (row.getLong(1) != base.revision()) {
                    throw new HeadMovedException("the head moved from revision " + base.revision() + " to "
                            + row.getLong(1) + " while the refresh ran");
                }
            }
        }
    }

    /** Inserts the revision and its delta. */
    void writeRevision(Draft draft, Difference difference, RunLease lease) throws SQLException {
        List<SegmentRef> delta = draft.delta();
        update(1, """
                insert into revision (set_id, revision, policies, bytes, raw_bytes, content_sha256, upserts, deletes,
                    has_delta, published_at, run_id, process, segment_bits)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?, clock_timestamp(), ?, ?, ?)""", base.setId(), revision,
                draft.manifest().policies(), draft.manifest().bytes(), draft.manifest().rawBytes(),
                draft.manifest().contentSha256().bytes(), difference.upserts(), difference.deletes(), delta != null,
                lease.runId(), lease.process(), draft.segmentBits());
        if (delta != null) {
            update(delta.size(), """
                    insert into delta_entry (set_id, revision, ordinal, sha256, raw_sha256, bytes, raw_bytes, policies)
                    select ?, ?, u.o - 1, u.s, u.r, u.b, u.rb, u.p
                    from unnest(?::bytea[], ?::bytea[], ?::bigint[], ?::bigint[], ?::int[]) with ordinality
                        as u(s, r, b, rb, p, o)""", base.setId(), revision,
                    array("bytea", delta, s -> s.sha256().bytes()), array("bytea", delta, s -> s.rawSha256().bytes()),
                    array("bigint", delta, SegmentRef::bytes), array("bigint", delta, SegmentRef::rawBytes),
                    array("integer", delta, SegmentRef::policies));
        }
    }

    /** Records the result and moves the head; the last thing before COMMIT, which is what readers notice. */
    void moveHead(Draft draft, FeedMark mark, RunLease lease, RunResult result)
            throws SQLException, LeaseLostException {
        lease.finish(transaction, result);
        update(1, """
                with raised as (
                    update instance set heads_version = heads_version + 1 where id = 1 returning heads_version)
                update policy_set set revision = ?, segment_bits = ?, feed_etag = ?, feed_last_modified = ?,
                    feed_sha256 = ?, feed_source_sha256 = ?, contents_from = greatest(contents_from, ?),
                    version = raised.heads_version
                from raised where set_id = ?""", revision, draft.segmentBits(), mark.validators().etag(),
                mark.validators().lastModified(), FeedMark.bytes(mark.feedSha256()),
                FeedMark.bytes(mark.sourceSha256()), contentsFrom, base.setId());
        try (PreparedStatement notify = transaction.prepareStatement("select pg_notify('bellwether', ?)")) {
            notify.setString(1, base.name());
            notify.execute();
        }
    }

    private void update(int expected, String sql, @Nullable Object... values) throws SQLException {
        try (PreparedStatement statement = transaction.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                if (values[i] == null) {
                    statement.setNull(i + 1, Types.NULL);
                } else if (values[i] instanceof byte[] bytes) {
                    statement.setBytes(i + 1, bytes);
                } else {
                    statement.setObject(i + 1, values[i]);
                }
            }
            int rows = statement.executeUpdate();
            if (rows != expected) {
                throw new IllegalStateException(rows + " rows instead of " + expected + " written by: "
                        + sql.strip().lines().findFirst().orElse(""));
            }
        }
    }

    private Array array(String type, List<SegmentRef> segments, Function<SegmentRef, Object> column)
            throws SQLException {
        Object[] values = segments.stream().map(column).toArray(type.equals("bytea") ? byte[][]::new : Object[]::new);
        return transaction.createArrayOf(type, values);
    }
}
