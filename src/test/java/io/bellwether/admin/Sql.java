package io.bellwether.admin;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;

import io.bellwether.database.Database;

/** Looks at and changes rows by hand, in the language of the database. */
final class Sql {
    private Sql() {}

    /** The first column of the only row, as text; {@code null} for a null. */
    static String value(Database database, String sql) throws SQLException {
        return database.<String, RuntimeException>inTransaction("test", Duration.ofSeconds(10), connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql);
                    ResultSet row = statement.executeQuery()) {
                row.next();
                return Objects.requireNonNullElse(row.getString(1), "null");
            }
        });
    }

    static int update(Database database, String sql) throws SQLException {
        return database.<Integer, RuntimeException>inTransaction("test", Duration.ofSeconds(10), connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                return statement.executeUpdate();
            }
        });
    }
}
