package io.bellwether.admin;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.bellwether.database.Database;
import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.fleet.BearerToken;
import io.bellwether.fleet.Grant;

/**
 * Making, listing and revoking the tokens of downstream servers. Every process notices within about a second. Thread safe.
 */
public final class TokenAdmin {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final Pattern SERVER = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,127}");
    private static final int MAX_PATTERNS = 100;
    private static final int MAX_LISTED = 10_000;
    private static final Instant LATEST_EXPIRY = Instant.parse("9999-12-31T23:59:59Z");

    private static final String RAISE = """
            with told as (select pg_notify('bellwether', 'tokens'))
            update instance set heads_version = heads_version + (select count(*) from told),
                tokens_version = tokens_version + (select count(*) from told)""";

    private final Database database;
    private final InstantSource clock;

    /** A token just made: the only time that its secret is seen. */
    public record Issued(Grant grant, BearerToken token) {}

    /**
     * Operations on the tokens of this database.
     *
     * @param clock tells which expiry lies in the past
     */
    public TokenAdmin(Database database, InstantSource clock) {
        this.database = database;
        this.clock = clock;
    }

    /**
     * Makes a token.
     *
     * @param server the downstream server it is for; several tokens of one server are allowed, so that one can replace
     *        another
     * @param sets names of sets, or patterns ending in {@code *}
     * @param expiresAt from when on it is not valid, or null for never
     * @throws Fault {@link FaultKind#INVALID_REQUEST} with every complaint
     * @throws SQLException if the database is away
     */
    public Issued create(String server, List<String> sets, @Nullable Instant expiresAt) throws SQLException {
        check(server, sets, expiresAt);
        BearerToken token = BearerToken.create();
        return database.inTransaction("create token", LIMIT, connection -> {
            Grant grant = insert(connection, token, server, sets, expiresAt);
            raise(connection);
            return new Issued(grant, token);
        });
    }

    private void check(String server, List<String> sets, @Nullable Instant expiresAt) {
        List<String> complaints = new ArrayList<>();
        if (!SERVER.matcher(server).matches()) {
            complaints.add("server must be 1 to 128 characters of A-Z, a-z, 0-9, '.', '_', ':' and '-'");
        }
        if (sets.isEmpty() || sets.size() > MAX_PATTERNS) {
            complaints.add("sets must name 1 to " + MAX_PATTERNS + " sets or patterns");
        }
        sets.stream().filter(pattern -> !Grant.isPattern(pattern)).limit(5)
                .forEach(pattern -> complaints.add("sets: '" + (pattern.length() > 80
                        ? pattern.substring(0, 80) + "…"
                        : pattern) + "' is neither the name of a set, nor the beginning of one and '*', nor '*'"));
        if (expiresAt != null && (!expiresAt.isAfter(clock.instant()) || expiresAt.isAfter(LATEST_EXPIRY))) {
            complaints.add("expiresAt must lie in the future and before the year 10000");
        }
        if (!complaints.isEmpty()) {
            throw new Fault(FaultKind.INVALID_REQUEST, String.join("; ", complaints));
        }
    }

    private static Grant insert(Connection connection, BearerToken token, String server, List<String> sets,
            @Nullable Instant expiresAt) throws SQLException {
        Array patterns = connection.createArrayOf("text", sets.toArray());
        try (PreparedStatement insert = connection.prepareStatement("""
                insert into token (token_id, server, sets, secret_sha256, expires_at) values (?, ?, ?, ?, ?)
                returning token_id, server, sets, created_at, expires_at, revoked_at""")) {
            insert.setString(1, token.id());
            insert.setString(2, server);
            insert.setArray(3, patterns);
            insert.setBytes(4, token.secretSha256().bytes());
            insert.setObject(5, expiresAt == null ? null : expiresAt.atOffset(ZoneOffset.UTC),
                    Types.TIMESTAMP_WITH_TIMEZONE);
            try (ResultSet row = insert.executeQuery()) {
                row.next();
                return grant(row);
            }
        }
    }

    /** All tokens, the newest first, revoked and expired ones included; without their secrets, which nobody knows. */
    public List<Grant> list() throws SQLException {
        return database.inTransaction("list tokens", LIMIT, connection -> {
            List<Grant> all = new ArrayList<>();
            try (PreparedStatement query = connection.prepareStatement("""
                    select token_id, server, sets, created_at, expires_at, revoked_at from token
                    order by created_at desc, token_id limit ?""")) {
                query.setInt(1, MAX_LISTED);
                try (ResultSet row = query.executeQuery()) {
                    while (row.next()) {
                        all.add(grant(row));
                    }
                }
            }
            return all;
        });
    }

    /**
     * Revokes a token, for ever; again changes nothing.
     *
     * @return whether there is one of that id
     */
    public boolean revoke(String id) throws SQLException {
        return database.inTransaction("revoke token", LIMIT, connection -> {
            try (PreparedStatement update = connection.prepareStatement("""
                    update token set revoked_at = coalesce(revoked_at, clock_timestamp()) where token_id = ?""")) {
                update.setString(1, id);
                if (update.executeUpdate() == 0) {
                    return false;
                }
            }
            raise(connection);
            return true;
        });
    }

    private static void raise(Connection connection) throws SQLException {
        try (PreparedStatement raise = connection.prepareStatement(RAISE)) {
            raise.executeUpdate();
        }
    }

    private static Grant grant(ResultSet row) throws SQLException {
        return new Grant(row.getString(1), row.getString(2), List.of((String[]) row.getArray(3).getArray()),
                row.getObject(4, OffsetDateTime.class).toInstant(), instant(row, 5), instant(row, 6));
    }

    private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        OffsetDateTime value = row.getObject(column, OffsetDateTime.class);
        return value == null ? null : value.toInstant();
    }
}
