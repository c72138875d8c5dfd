package io.bellwether.database;

import java.io.Closeable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;

import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/**
 * Writes rows by COPY in PostgreSQL's binary format
 * (<a href="https://www.postgresql.org/docs/18/sql-copy.html">COPY, "Binary Format"</a>). Not thread safe.
 *
 * <p>A row is begun by {@link #row} and then given exactly that many fields. {@link #finish} ends the COPY; closing
 * without it cancels it, and nothing is written.
 */
public final class BinaryCopy implements Closeable {
    private static final byte[] HEADER = {'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xff, '\r', '\n', 0, 0, 0, 0, 0, 0,
            0,
            0, 0};
    private static final int FLUSH_AT = 256 << 10;

    private final CopyIn copy;
    private byte[] buffer = new byte[FLUSH_AT + (64 << 10)];
    private int fieldsLeft;
    private int length;
    private long bytes;

    /**
     * Begins a COPY.
     *
     * @param connection to write on; busy until {@link #finish} or {@link #close}
     * @param target the table and its columns, e.g. {@code staging (key, body)}; trusted text
     * @throws SQLException if the database refuses
     */
    public BinaryCopy(Connection connection, String target) throws SQLException {
        copy = connection.unwrap(PGConnection.class).getCopyAPI()
                .copyIn("copy " + target + " from stdin (format binary)");
        System.arraycopy(HEADER, 0, buffer, 0, HEADER.length);
        length = HEADER.length;
    }

    /**
     * Begins a row.
     *
     * @param fields how many fields follow
     */
    public void row(int fields) throws SQLException {
        room(2);
        buffer[length++] = (byte) (fields >>> 8);
        buffer[length++] = (byte) fields;
        fieldsLeft = fields;
    }

    /** A {@code bytea} (or text in the database's encoding). */
    public void bytes(byte[] value, int offset, int count) throws SQLException {
        field(count);
        room(count);
        System.arraycopy(value, offset, buffer, length, count);
        length += count;
    }

    /** A whole {@code bytea}. */
    public void bytes(byte[] value) throws SQLException {
        bytes(value, 0, value.length);
    }

    /** An {@code int8}. */
    public void int8(long value) throws SQLException {
        field(8);
        int32((int) (value >>> 32));
        int32((int) value);
    }

    /** An {@code int4}. */
    public void int4(int value) throws SQLException {
        field(4);
        int32(value);
    }

    /** A null of any type. */
    public void nothing() throws SQLException {
        field(-1);
    }

    /** Bytes handed over so far. */
    public long bytesWritten() {
        return bytes + length;
    }

    /**
     * Ends the COPY.
     *
     * @return the rows written
     * @throws SQLException if the database refuses them
     */
    public long finish() throws SQLException {
        room(2);
        buffer[length++] = (byte) 0xff;
        buffer[length++] = (byte) 0xff;
        flush();
        return copy.endCopy();
    }

    /**
     * Ends the COPY of rows that nobody wants any more into a table that goes with its connection. Unlike {@link #close} it
     * leaves no error in the server's log, and may leave rows in the table.
     */
    public void abandon() {
        if (fieldsLeft != 0 || !copy.isActive()) {
            close();
            return;
        }
        try {
            finish();
        } catch (SQLException e) {
            // The connection broke or the server refused the rows: there is nothing left to end.
            return;
        }
    }

    @Override
    public void close() {
        if (copy.isActive()) {
            try {
                copy.cancelCopy();
            } catch (SQLException e) {
                // The connection broke or the server refused the rows already: there is nothing left to cancel.
                return;
            }
        }
    }

    /** The head of a field: its length, or -1. */
    private void field(int count) throws SQLException {
        int32(count);
        fieldsLeft--;
    }

    private void int32(int value) throws SQLException {
        room(4);
        buffer[length++] = (byte) (value >>> 24);
        buffer[length++] = (byte) (value >>> 16);
        buffer[length++] = (byte) (value >>> 8);
        buffer[length++] = (byte) value;
    }

    private void room(int count) throws SQLException {
        if (length + count <= buffer.length && length < FLUSH_AT) {
            return;
        }
        flush();
        if (count > buffer.length) {
            buffer = Arrays.copyOf(buffer, count);
        }
    }

    private void flush() throws SQLException {
        if (length > 0) {
            copy.writeToCopy(buffer, 0, length);
            bytes += length;
            length = 0;
        }
    }
}
