package io.bellwether.fleet;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.bellwether.policy.Sha256;

/** The SQL of tokens. Stateless. */
final class TokenQueries {
    private TokenQueries() {}

    static Grant insert(Connection connection, BearerToken token, String server, List<String> sets,
            @Nullable Instant expiresAt) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("""
                insert into token (token_id, server, sets, secret_sha256, expires_at) values (?, ?, ?, ?, ?)
                returning created_at, expires_at""")) {
            insert.setString(1, token.id());
            insert.setString(2, server);
            insert.setArray(3, connection.createArrayOf("text", sets.toArray()));
            insert.setBytes(4, token.secretSha256().bytes());
            insert.setObject(5, expiresAt == null ? null : OffsetDateTime.ofInstant(expiresAt, ZoneOffset.UTC));
            try (ResultSet row = insert.executeQuery()) {
                row.next();
                Instant created = row.getObject(1, OffsetDateTime.class).toInstant();
                return new Grant(token.id(), server, sets, created, instant(row, 2), null);
            }
        }
    }

    static List<Tokens.Entry> all(Connection connection) throws SQLException {
        List<Tokens.Entry> all = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement("""
                select token_id, server, sets, secret_sha256, created_at, expires_at, revoked_at
                from token order by created_at desc, token_id""");
                ResultSet row = query.executeQuery()) {
            while (row.next()) {
                Array sets = row.getArray(3);
                Grant grant = new Grant(row.getString(1), row.getString(2), List.of((String[]) sets.getArray()),
                        row.getObject(5, OffsetDateTime.class).toInstant(), instant(row, 6), instant(row, 7));
                all.add(new Tokens.Entry(grant, Sha256.wrap(row.getBytes(4))));
            }
        }
        return all;
    }

    static boolean revoke(Connection connection, String id) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(
                "update token set revoked_at = clock_timestamp() where token_id = ? and revoked_at is null")) {
            update.setString(1, id);
            return update.executeUpdate() == 1;
        }
    }

    /** Lets every process know; the last statements before COMMIT. */
    static void tell(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("update instance set heads_version = heads_version + 1,"
                    + " tokens_version = tokens_version + 1; select pg_notify('bellwether', 'tokens')");
        }
    }

    private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        OffsetDateTime value = row.getObject(column, OffsetDateTime.class);
        return value == null ? null : value.toInstant();
    }
}
