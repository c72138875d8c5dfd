package io.bellwether.database;

import java.io.Closeable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyOut;

/**
 * Reads rows by COPY in PostgreSQL's binary format
 * (<a href="https://www.postgresql.org/docs/18/sql-copy.html">COPY, "Binary Format"</a>), one in memory at a time,
 * however many there are. Stands before the first row at first. Not thread safe.
 *
 * <p>The connection is busy until the end was reached. Closing before that ends the connection as well, since what the
 * server has sent cannot be taken back.
 */
public final class BinaryCopyOut implements Closeable {
    /** Signature, flags and the length of the header's extension. */
    private static final int HEADER = 11 + 4 + 4;

    private final Connection connection;
    private final CopyOut copy;
    private final int columns;
    private final int[] offsets;
    private final int[] lengths;
    private byte[] row = {};
    private boolean begun;

    /**
     * Begins a COPY.
     *
     * @param connection to read from
     * @param query whose rows are read; trusted text
     * @param columns how many columns it has
     * @throws SQLException if the database refuses
     */
    public BinaryCopyOut(Connection connection, String query, int columns) throws SQLException {
        this.connection = connection;
        this.columns = columns;
        this.offsets = new int[columns];
        this.lengths = new int[columns];
        copy = connection.unwrap(PGConnection.class).getCopyAPI()
                .copyOut("copy (" + query + ") to stdout (format binary)");
    }

    /**
     * Goes on to the next row.
     *
     * @return false at the end
     * @throws SQLException if the query fails on the way, or the connection is lost
     */
    public boolean next() throws SQLException {
        byte @Nullable [] message = copy.readFromCopy();
        int at = 0;
        if (!begun && message != null) {
            // The server sends the header in one message with the first row (or with the end, when there is none).
            begun = true;
            at = HEADER + int4(message, HEADER - 4);
        }
        if (message != null && at == message.length) {
            message = copy.readFromCopy();
            at = 0;
        }
        if (message == null) {
            return false;
        }
        int fields = (short) ((message[at] & 0xff) << 8 | message[at + 1] & 0xff);
        if (fields == -1) {
            // The trailer; what follows is the end of the COPY, which ends the use of the connection.
            if (copy.readFromCopy() != null) {
                throw new SQLException("COPY went on after its end");
            }
            return false;
        }
        if (fields != columns) {
            throw new SQLException("COPY brought " + fields + " columns instead of " + columns);
        }
        at += 2;
        for (int i = 0; i < columns; i++) {
            lengths[i] = int4(message, at);
            offsets[i] = at + 4;
            at += 4 + Math.max(0, lengths[i]);
        }
        row = message;
        return true;
    }

    /** The array that holds the row; one of its own for each row. */
    public byte[] row() {
        return row;
    }

    /** Where a column's value begins in {@link #row}; columns count from 0. */
    public int offset(int column) {
        return offsets[column];
    }

    /** The length of a column's value in bytes; -1 for null. */
    public int length(int column) {
        return lengths[column];
    }

    /** A copy of a column's value; must not be null. */
    public byte[] bytes(int column) {
        return Arrays.copyOfRange(row, offsets[column], offsets[column] + lengths[column]);
    }

    @Override
    public void close() {
        if (copy.isActive()) {
            try {
                // The driver's own way to cancel leaves rows on the wire, which then break the next statement.
                connection.abort(Runnable::run);
            } catch (SQLException e) {
                // It is gone either way.
                return;
            }
        }
    }

    private static int int4(byte[] from, int at) {
        return from[at] << 24 | (from[at + 1] & 0xff) << 16 | (from[at + 2] & 0xff) << 8 | from[at + 3] & 0xff;
    }
}
