package io.bellwether.refresh;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import org.jspecify.annotations.Nullable;

import io.bellwether.database.BinaryCopy;
import io.bellwether.source.FeedPolicy;

/**
 * The changes of one refresh, in temporary tables of its connection: {@code staged} has what to put, {@code vanished}
 * the keys to delete. Tables are made when the first row comes, so that an unchanged feed writes nothing. Not thread
 * safe.
 */
final class Staging implements AutoCloseable {
    /** What {@code {"key":"","body":}} and the line feed add to key and body. */
    private static final int LINE_OVERHEAD = 19;

    private final Connection connection;
    private @Nullable BinaryCopy copy;
    private boolean anyStaged;
    private boolean anyVanished;
    private long rawBytes;

    Staging(Connection connection) {
        this.connection = connection;
    }

    /** Stages a policy to be put; one put later replaces an earlier one of the same key ({@link #settle}). */
    void put(FeedPolicy policy, byte[] bodySha256) throws SQLException {
        put(policy.keyBuffer(), policy.keyOffset(), policy.keyLength(), policy.bodyBuffer(), policy.bodyOffset(),
                policy.bodyLength(), bodySha256);
    }

    /** As {@link #put(FeedPolicy, byte[])}. */
    void put(byte[] key, int keyOffset, int keyLength, byte[] body, int bodyOffset, int bodyLength,
            byte[] bodySha256) throws SQLException {
        BinaryCopy into = copy;
        if (into == null) {
            create("staged (key bytea, body bytea, body_sha256 bytea)");
            anyStaged = true;
            copy = into = new BinaryCopy(connection, "staged (key, body, body_sha256)");
        }
        into.row(3);
        into.bytes(key, keyOffset, keyLength);
        into.bytes(body, bodyOffset, bodyLength);
        into.bytes(bodySha256);
        rawBytes += keyLength + bodyLength + LINE_OVERHEAD;
    }

    /** Stages a key to be deleted, after all policies were staged. */
    void vanish(byte[] row, int offset, int length) throws SQLException {
        BinaryCopy into = copy;
        if (into == null) {
            create("vanished (key bytea)");
            anyVanished = true;
            copy = into = new BinaryCopy(connection, "vanished (key)");
        }
        into.row(1);
        into.bytes(row, offset, length);
    }

    /**
     * Ends the COPY under way.
     *
     * @return the rows it wrote
     */
    long endCopy() throws SQLException {
        BinaryCopy into = copy;
        copy = null;
        return into == null ? 0 : into.finish();
    }

    /**
     * Leaves of each key the policy that was staged last, and none that is as the set has it.
     *
     * @return how many policies are left
     */
    long settle(long setId) throws SQLException {
        if (!anyStaged) {
            return 0;
        }
        execute("""
                delete from staged s using (select ctid, row_number() over (partition by key order by ctid desc) as n
                    from staged) d
                where s.ctid = d.ctid and d.n > 1""");
        execute("delete from staged s using policy p where p.set_id = " + setId
                + " and p.key = s.key and p.body_sha256 = s.body_sha256");
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select count(*) from staged")) {
            row.next();
            return row.getLong(1);
        }
    }

    /** About how many bytes the lines of the staged policies have. */
    long rawBytes() {
        return rawBytes;
    }

    /** The query of all changes in key order: key and body, the body null for a delete. There must be some. */
    String changes() {
        String puts = "select key, body from staged";
        String deletes = "select key, null::bytea from vanished";
        return (anyStaged && anyVanished ? puts + " union all " + deletes : anyStaged ? puts : deletes)
                + " order by key";
    }

    /** The query of the keys of all changes in key order. There must be some. */
    String keys() {
        String puts = "select key from staged";
        String deletes = "select key from vanished";
        return (anyStaged && anyVanished ? puts + " union all " + deletes : anyStaged ? puts : deletes)
                + " order by key";
    }

    /**
     * The statement that puts all staged policies into a set that has none, and brings them in key order as {@link
     * #changes} does: a first load is sorted and read once instead of twice. For the publishing transaction.
     */
    String firstLoad(long setId) {
        return anyStaged
                ? "insert into policy (set_id, key, body, body_sha256) select " + setId
                        + ", key, body, body_sha256 from staged order by key returning key, body"
                : "select ''::bytea, ''::bytea where false";
    }

    /** Brings the set's rows to the feed's content, in the publishing transaction. */
    void merge(Connection transaction, long setId, Difference difference) throws SQLException {
        if (anyVanished) {
            execute("analyze vanished");
            exactly(difference.deletes(), transaction,
                    "delete from policy p using vanished v where p.set_id = ? and p.key = v.key", setId);
        }
        if (anyStaged) {
            exactly(difference.upserts(), transaction, """
                    insert into policy (set_id, key, body, body_sha256)
                    select ?, key, body, body_sha256 from staged order by key
                    on conflict (set_id, key) do update
                        set body = excluded.body, body_sha256 = excluded.body_sha256""", setId);
        }
    }

    private static void exactly(long rows, Connection transaction, String sql, long setId) throws SQLException {
        try (PreparedStatement statement = transaction.prepareStatement(sql)) {
            statement.setLong(1, setId);
            long changed = statement.executeLargeUpdate();
            if (changed != rows) {
                throw new IllegalStateException("the merge changed " + changed + " policies instead of " + rows);
            }
        }
    }

    private void create(String table) throws SQLException {
        execute("create temp table " + table + " on commit preserve rows");
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() {
        BinaryCopy into = copy;
        copy = null;
        if (into != null) {
            into.abandon();
        }
    }
}
