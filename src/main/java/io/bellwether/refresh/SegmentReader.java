package io.bellwether.refresh;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.bellwether.database.Database;
import io.bellwether.policy.GzipMember;
import io.bellwether.policy.SegmentRef;
import io.bellwether.policy.Sha256;

/**
 * Reads the segments that a change touches, one statement each, on a connection of its own that is opened for the first:
 * the one with the staged changes is busy bringing them. Belongs to one thread.
 */
final class SegmentReader implements AutoCloseable {
    private final Database database;
    private final RunWatch watch;
    private @Nullable Connection connection;
    private @Nullable PreparedStatement query;

    SegmentReader(Database database, RunWatch watch) {
        this.database = database;
        this.watch = watch;
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
        return lines;
    }

    private byte[] content(SegmentRef segment) throws SQLException {
        PreparedStatement select = query();
        select.setBytes(1, segment.sha256().bytes());
        try (ResultSet row = select.executeQuery()) {
            if (!row.next()) {
                throw new IllegalStateException("segment " + segment.sha256() + " is missing");
            }
            return Objects.requireNonNull(row.getBytes(1));
        }
    }

    private PreparedStatement query() throws SQLException {
        PreparedStatement select = query;
        if (select == null) {
            Connection opened = StagingConnection.open(database);
            connection = opened;
            watch.guard(opened);
            query = select = opened.prepareStatement("select content from segment where sha256 = ?");
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
