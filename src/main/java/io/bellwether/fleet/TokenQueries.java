package io.bellwether.fleet;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.bellwether.policy.Sha256;

/** The SQL of tokens. Stateless. */
final class TokenQueries {
    private TokenQueries() {}

    /** All that were not revoked. */
    static List<Tokens.Entry> valid(Connection connection) throws SQLException {
        List<Tokens.Entry> all = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement("""
                select token_id, server, sets, secret_sha256, created_at, expires_at
                from token where revoked_at is null""");
                ResultSet row = query.executeQuery()) {
            while (row.next()) {
                Array sets = row.getArray(3);
                Grant grant = new Grant(row.getString(1), row.getString(2), List.of((String[]) sets.getArray()),
                        row.getObject(5, OffsetDateTime.class).toInstant(), instant(row, 6), null);
                all.add(new Tokens.Entry(grant, Sha256.wrap(row.getBytes(4))));
            }
        }
        return all;
    }

    private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        OffsetDateTime value = row.getObject(column, OffsetDateTime.class);
        return value == null ? null : value.toInstant();
    }
}
