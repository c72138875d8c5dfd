package io.bellwether.refresh;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * How far back the contents of a set are kept: the entries of its manifest that the head has no more are at most {@link
 * #LIVE_TIMES} times those it has, and {@link #AND}; but the contents of the last revisions, as many as the set keeps, stay
 * whatever they cost. Each process holds all entries in its heap, so this is what bounds it. Stateless.
 *
 * <p>Where the bound is passed the oldest contents go: {@code policy_set.contents_from} is raised, by the publish that
 * passed it; and {@link RetentionWork} removes the rows later. Leaving the raising to that job, too, was rejected: in the
 * hour between two of its runs a set that changes wholly each minute ends sixty times what it has.
 */
final class OldContents {
    static final int LIVE_TIMES = 2;
    static final int AND = 1_000;

    private OldContents() {}

    /**
     * Contents to be given up.
     *
     * @param setId the set
     * @param contentsFrom the oldest revision whose contents stay
     */
    record Excess(long setId, long contentsFrom) {}

    /**
     * What a publish may keep, as its transaction sees the entries.
     *
     * @param live entries of the revision that it publishes
     * @param last the oldest of the revisions whose contents stay whatever they cost
     * @return the oldest revision whose contents stay; 0 where nothing has to go
     */
    static long bound(Connection transaction, long setId, int live, long last) throws SQLException {
        try (PreparedStatement query = transaction.prepareStatement("""
                select removed_in from manifest_entry
                where set_id = ? and removed_in > (select contents_from from policy_set where set_id = ?)
                order by removed_in desc offset ? limit 1""")) {
            query.setLong(1, setId);
            query.setLong(2, setId);
            query.setLong(3, (long) LIVE_TIMES * live + AND);
            try (ResultSet row = query.executeQuery()) {
                // All that ended up to there goes, so that the contents of that very revision are whole.
                return row.next() ? Math.max(0, Math.min(row.getLong(1), last)) : 0;
            }
        }
    }

    /** The sets that are over the bound although nothing is published: they keep fewer revisions than before. */
    static List<Excess> excess(Connection connection) throws SQLException {
        List<Excess> excess = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement("""
                select set_id, bound from (
                    select s.set_id, s.contents_from, least(e.removed_in,
                        s.revision - coalesce((s.definition ->> 'keepRevisions')::bigint, 10) + 1) as bound
                    from policy_set s,
                        lateral (select count(*) as live from manifest_entry m
                            where m.set_id = s.set_id and m.removed_in is null) l,
                        lateral (select m.removed_in from manifest_entry m
                            where m.set_id = s.set_id and m.removed_in > s.contents_from
                            order by m.removed_in desc offset ? * l.live + ? limit 1) e) b
                where bound > contents_from""")) {
            query.setInt(1, LIVE_TIMES);
            query.setInt(2, AND);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    excess.add(new Excess(rows.getLong(1), rows.getLong(2)));
                }
            }
        }
        return excess;
    }

    /** Gives them up, in a transaction that has locked the set's row. */
    static void giveUp(Connection transaction, Excess excess) throws SQLException {
        try (PreparedStatement update = transaction
                .prepareStatement(
                        "update policy_set set contents_from = greatest(contents_from, ?) where set_id = ?")) {
            update.setLong(1, excess.contentsFrom());
            update.setLong(2, excess.setId());
            update.executeUpdate();
        }
    }
}
