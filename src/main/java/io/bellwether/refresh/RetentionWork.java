package io.bellwether.refresh;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.bellwether.database.Database;
import io.bellwether.database.TransactionBody;
import io.bellwether.lease.JobWork;
import io.bellwether.lease.LeaseLostException;
import io.bellwether.lease.RunHistory;
import io.bellwether.lease.RunLease;
import io.bellwether.lease.RunResult;

/**
 * The work of the retention job: removes revisions that need not be kept, contents that would cost too much, and segments
 * that nothing names. Short transactions, each removing a bounded number of rows. Thread safe.
 *
 * <p>A run's row goes a week after the run ended. A revision goes when the set has as many newer ones as it keeps, and
 * it is at least a day old. Its contents may go before ({@link OldContents}): readers are told first, in a transaction
 * of its own, and then the entries of the manifest are removed. A segment goes when no manifest and no delta named it
 * for an hour, since a reader may be on its way to it; and not while a run is on that was there when it was last
 * touched, since that run may be about to name it. A refresh that writes a segment which is there already touches it in
 * the same statement, and the row lock makes the two take turns: either the segment was touched first and stays, or it
 * was removed first and is written again.
 */
public final class RetentionWork implements JobWork {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int BATCH = 1_000;
    private static final Duration RUNS_KEPT = Duration.ofDays(7);

    private final Database database;

    /** A work on that database. */
    public RetentionWork(Database database) {
        this.database = database;
    }

    /** A set, and the oldest revision of which it keeps something. */
    private record Kept(long setId, long from) {}

    @Override
    public RunResult perform(RunLease lease) throws SQLException, LeaseLostException, InterruptedException {
        long revisions = 0;
        for (Kept kept : kept()) {
            revisions += removeRevisions(kept, lease);
        }
        for (OldContents.Excess excess : sets("find old contents", OldContents::excess)) {
            lease.checkAlive();
            giveUp(excess);
        }
        lease.progress("entries", revisions, 0);
        long entries = 0;
        for (Kept kept : sets("find old entries", RetentionWork::ended)) {
            entries += removeEntries(kept, lease);
        }
        lease.progress("segments", revisions + entries, 0);
        long segments = removeSegments(lease);
        lease.progress("runs", revisions + entries + segments, 0);
        long runs = forgetRuns(lease);
        return RunResult.unchanged(0, revisions + entries + segments + runs == 0
                ? null
                : String.format(Locale.ROOT, "removed %,d revisions, %,d entries of manifests and %,d segments",
                        revisions, entries, segments)
                        + (runs == 0 ? "" : String.format(Locale.ROOT, ", and forgot %,d runs", runs)));
    }

    /** The sets that have revisions to remove, and the oldest revision that each keeps. */
    private List<Kept> kept() throws SQLException {
        return database.<List<Kept>, RuntimeException>inTransaction("find old revisions", LIMIT, connection -> {
            List<Kept> kept = new ArrayList<>();
            try (PreparedStatement query = connection.prepareStatement("""
                    select set_id, oldest from (
                        select s.set_id, least(s.revision - coalesce((s.definition ->> 'keepRevisions')::bigint, 10) + 1,
                            min(r.revision) filter (where r.published_at > clock_timestamp() - interval '1 day')) as oldest,
                            min(r.revision) as first
                        from policy_set s join revision r using (set_id) group by s.set_id) k
                    where first < oldest""");
                    ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    kept.add(new Kept(rows.getLong(1), rows.getLong(2)));
                }
            }
            return kept;
        });
    }

    /** What some sets have too much of. */
    private <T> List<T> sets(String what, TransactionBody<List<T>, RuntimeException> query) throws SQLException {
        return database.<List<T>, RuntimeException>inTransaction(what, LIMIT, query);
    }

    /** The sets that have entries which no contents need any more. */
    private static List<Kept> ended(Connection connection) throws SQLException {
        List<Kept> ended = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement("""
                select set_id, oldest from (
                    select set_id, greatest(contents_from,
                        (select min(revision) from revision r where r.set_id = s.set_id)) as oldest
                    from policy_set s) k
                where exists (select from manifest_entry m where m.set_id = k.set_id and m.removed_in <= k.oldest)""");
                ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                ended.add(new Kept(rows.getLong(1), rows.getLong(2)));
            }
        }
        return ended;
    }

    /** Tells readers which contents are kept no more. */
    private void giveUp(OldContents.Excess excess) throws SQLException {
        database.<Boolean, RuntimeException>inTransaction("give up old contents", LIMIT, connection -> {
            lock(connection, excess.setId());
            OldContents.giveUp(connection, excess);
            tell(connection, excess.setId());
            return true;
        });
    }

    /**
     * The set's row is locked first and the counter is raised last, as every publish does: the other way round the two
     * would wait for each other, and PostgreSQL would end the publish.
     */
    private long removeRevisions(Kept kept, RunLease lease)
            throws SQLException, LeaseLostException, InterruptedException {
        long all = 0;
        long removed;
        do {
            lease.checkAlive();
            removed = database.<Long, RuntimeException>inTransaction("remove revisions", LIMIT, connection -> {
                lock(connection, kept.setId());
                long some = count(connection, """
                        with gone as (delete from revision where set_id = ? and revision in (
                                select revision from revision where set_id = ? and revision < ? order by revision limit ?)
                            returning set_id, revision),
                        touched as (update segment set touched_at = clock_timestamp() where sha256 in (
                            select d.sha256 from delta_entry d join gone g using (set_id, revision)))
                        select count(*) from gone""", kept.setId(), kept.setId(), kept.from());
                if (some > 0) {
                    tell(connection, kept.setId());
                }
                return some;
            });
            all += removed;
        } while (removed >= BATCH);
        return all;
    }

    private static void lock(Connection connection, long setId) throws SQLException {
        try (PreparedStatement lock = connection
                .prepareStatement("select from policy_set where set_id = ? for no key update")) {
            lock.setLong(1, setId);
            lock.execute();
        }
    }

    private static void tell(Connection connection, long setId) throws SQLException {
        try (PreparedStatement tell = connection.prepareStatement("""
                with raised as (update instance set heads_version = heads_version + 1 returning heads_version)
                update policy_set set version = raised.heads_version from raised where set_id = ?""")) {
            tell.setLong(1, setId);
            tell.executeUpdate();
        }
    }

    private long removeEntries(Kept kept, RunLease lease)
            throws SQLException, LeaseLostException, InterruptedException {
        return inBatches(lease, "remove manifest entries", """
                with gone as (delete from manifest_entry where ctid = any(array(
                        select ctid from manifest_entry where set_id = ? and removed_in <= ? limit ?))
                    returning sha256),
                touched as (update segment set touched_at = clock_timestamp()
                    where sha256 in (select sha256 from gone))
                select count(*) from gone""", kept.setId(), kept.from());
    }

    private long removeSegments(RunLease lease) throws SQLException, LeaseLostException, InterruptedException {
        return inBatches(lease, "remove segments", """
                with due as (select least(clock_timestamp() - interval '1 hour',
                        (select min(claimed_at) from run where state = 'running')) as before),
                gone as (delete from segment s using due
                    where s.touched_at < due.before and s.sha256 = any(array(
                        select o.sha256 from segment o, due where o.touched_at < due.before
                            and not exists (select from manifest_entry m where m.sha256 = o.sha256)
                            and not exists (select from delta_entry d where d.sha256 = o.sha256)
                        limit ?))
                    returning s.sha256)
                select count(*) from gone""");
    }

    private long forgetRuns(RunLease lease) throws SQLException, LeaseLostException, InterruptedException {
        long all = 0;
        int removed;
        do {
            lease.checkAlive();
            removed = database.<Integer, RuntimeException>inTransaction("remove old runs", LIMIT,
                    c -> RunHistory.forget(c, RUNS_KEPT, BATCH));
            all += removed;
        } while (removed >= BATCH);
        return all;
    }

    /** Runs a statement whose last parameter is a limit until it removes less than that. */
    private long inBatches(RunLease lease, String what, String sql, Object... values)
            throws SQLException, LeaseLostException, InterruptedException {
        long all = 0;
        long removed;
        do {
            lease.checkAlive();
            removed = database.<Long, RuntimeException>inTransaction(what, LIMIT, c -> count(c, sql, values));
            all += removed;
        } while (removed >= BATCH);
        return all;
    }

    private static long count(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            statement.setInt(values.length + 1, BATCH);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }
}
