package io.bellwether.refresh;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.bellwether.database.Database;
import io.bellwether.policy.GzipMember;
import io.bellwether.policy.SegmentRef;
import io.bellwether.policy.Sha256;

/**
 * Reads the segments that a change touches, on a connection of its own that is opened for the first: the one with the
 * staged changes is busy bringing them. Those that are expected come many at a time, in the order in which they will be
 * asked for. Belongs to one thread.
 */
final class SegmentReader implements AutoCloseable {
    private static final int BATCH = 64;
    private static final long BATCH_BYTES = 1 << 20;

    private final Database database;
    private final RunWatch watch;
    private final Pace.Steps steps;
    private @Nullable Connection connection;
    private @Nullable PreparedStatement query;
    private List<SegmentRef> expected = List.of();
    private int next;
    private final Map<Sha256, byte[]> fetched = new HashMap<>();

    SegmentReader(Database database, RunWatch watch) {
        this.database = database;
        this.watch = watch;
        this.steps = watch.steps();
    }

    /** Says which segments will be asked for, in order; others may be, too. */
    void expect(List<SegmentRef> segments) {
        expected = segments;
        next = 0;
    }

    /**
     * The lines of a segment, checked against its hash.
     *
     * @throws IllegalStateException if it is not there or damaged
     */
    byte[] lines(SegmentRef segment) throws SQLException {
        byte[] lines = GzipMember.expand(content(segment), Math.toIntExact(segment.rawBytes()));
        if (!Sha256.of(lines).equals(segment.rawSha256())) {
            throw new IllegalStateException("segment " + segment.sha256() + " is damaged");
        }
        steps.done();
        return lines;
    }

    private byte[] content(SegmentRef segment) throws SQLException {
        byte[] here = fetched.remove(segment.sha256());
        if (here == null) {
            // What was fetched and not asked for was passed by.
            fetched.clear();
            fetch(batchFrom(segment));
            here = fetched.remove(segment.sha256());
        }
        if (here == null) {
            throw new IllegalStateException("segment " + segment.sha256() + " is missing");
        }
        return here;
    }

    /** The segment, and if it was expected those expected next, as far as they are small. */
    private List<Sha256> batchFrom(SegmentRef segment) {
        List<Sha256> batch = new ArrayList<>();
        batch.add(segment.sha256());
        int at = next;
        while (at < expected.size() && !expected.get(at).sha256().equals(segment.sha256())) {
            at++;
        }
        long bytes = segment.bytes();
        if (at < expected.size()) {
            for (at++; at < expected.size() && batch.size() < BATCH; at++) {
                bytes += expected.get(at).bytes();
                if (bytes > BATCH_BYTES) {
                    break;
                }
                batch.add(expected.get(at).sha256());
            }
            next = at;
        }
        return batch;
    }

    private void fetch(List<Sha256> segments) throws SQLException {
        PreparedStatement select = query();
        Array names = select.getConnection().createArrayOf("bytea",
                segments.stream().map(Sha256::bytes).toArray(byte[][]::new));
        select.setArray(1, names);
        try (ResultSet row = select.executeQuery()) {
            while (row.next()) {
                fetched.put(Sha256.wrap(Objects.requireNonNull(row.getBytes(1))),
                        Objects.requireNonNull(row.getBytes(2)));
            }
        }
    }

    private PreparedStatement query() throws SQLException {
        PreparedStatement select = query;
        if (select == null) {
            Connection opened = StagingConnection.open(database);
            connection = opened;
            watch.guard(opened);
            query = select = opened.prepareStatement("select sha256, content from segment where sha256 = any(?)");
        }
        return select;
    }

    @Override
    public void close() throws SQLException {
        if (connection != null) {
            connection.close();
        }
    }
}
