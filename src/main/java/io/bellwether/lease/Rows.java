package io.bellwether.lease;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

import org.jspecify.annotations.Nullable;

/** Instants to and from {@code timestamptz}. Stateless. */
final class Rows {
    private Rows() {}

    /** A timestamp that is never null in the schema. */
    static Instant instantAt(ResultSet row, int column) throws SQLException {
        Instant value = RunView.instant(row, column);
        if (value == null) {
            throw new SQLException("column " + column + " is null, which the schema excludes");
        }
        return value;
    }

    /** Sets a timestamp; {@link Instant#MAX} becomes {@code infinity}. */
    static void set(PreparedStatement statement, int parameter, @Nullable Instant value) throws SQLException {
        statement.setObject(parameter, value == null
                ? null
                : value.equals(Instant.MAX) ? OffsetDateTime.MAX : value.atOffset(ZoneOffset.UTC),
                java.sql.Types.TIMESTAMP_WITH_TIMEZONE);
    }

    /**
     * An update count, read in full.
     *
     * @return whether the row was ours: 1 yes, 0 no
     * @throws SQLException if more than one row was touched, which is a bug
     */
    static boolean one(int updated, String what) throws SQLException {
        if (updated > 1) {
            throw new SQLException(what + " touched " + updated + " rows instead of one");
        }
        return updated == 1;
    }
}
