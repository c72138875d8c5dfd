package io.bellwether.fleet;

import java.io.IOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.bellwether.catalog.CatalogService;
import io.bellwether.database.Database;
import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.policy.Sha256;

/**
 * The tokens of downstream servers: made and revoked in the database, found in memory. Thread safe.
 *
 * <p>Every change raises the counters that the catalog looks at, so a process knows of a revoked token with its next
 * look, a second later at most, and of a new one at once: an unknown token is looked for again after a look.
 */
public final class Tokens {
    private static final Logger log = LoggerFactory.getLogger(Tokens.class);
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final int MAX_SERVER_LENGTH = 128;
    private static final int MAX_PATTERNS = 100;

    /** A token as it is kept: what it opens, and the hash of its secret. */
    record Entry(Grant grant, Sha256 secretSha256) {}

    /**
     * A new token.
     *
     * @param token its text, which is shown this once
     * @param grant what it opens
     */
    public record Created(BearerToken token, Grant grant) {}

    private final Database database;
    private final CatalogService catalog;
    private final InstantSource clock;
    private final TokensFile file;
    private volatile Map<String, Entry> byId;

    /**
     * The tokens, as they were last known on this host until the catalog has seen the database.
     *
     * @param database where they are kept
     * @param catalog says when they changed; not started yet
     * @param clock tells whether one has expired
     * @param dataDir the folder in which the last ones are kept
     */
    public Tokens(Database database, CatalogService catalog, InstantSource clock, Path dataDir) {
        this.database = database;
        this.catalog = catalog;
        this.clock = clock;
        this.file = new TokensFile(dataDir);
        this.byId = index(file.read());
        catalog.onTokens(this::load);
    }

    /**
     * What this token opens.
     *
     * @return nothing when it is of another form, unknown, revoked or expired
     */
    public Optional<Grant> find(String text) {
        Optional<BearerToken> token = BearerToken.parse(text);
        if (token.isEmpty()) {
            return Optional.empty();
        }
        Entry entry = byId.get(token.get().id());
        if (entry == null && looked()) {
            entry = byId.get(token.get().id());
        }
        if (entry == null || !MessageDigest.isEqual(entry.secretSha256().bytes(), token.get().secretSha256().bytes())
                || !entry.grant().isValid(clock.instant())) {
            return Optional.empty();
        }
        return Optional.of(entry.grant());
    }

    /**
     * Makes a token.
     *
     * @param server the downstream server it is for
     * @param sets what it opens, see {@link Grant#sets}
     * @param expiresAt from when on it is no longer valid, or null
     * @throws Fault {@link FaultKind#INVALID_REQUEST} if something is wrong with these, all of it said
     */
    public Created create(String server, List<String> sets, @Nullable Instant expiresAt) throws SQLException {
        List<String> wrong = complaints(server, sets, expiresAt);
        if (!wrong.isEmpty()) {
            throw new Fault(FaultKind.INVALID_REQUEST, String.join("; ", wrong));
        }
        BearerToken token = BearerToken.create();
        Grant grant = database.<Grant, RuntimeException>inTransaction("create a token", LIMIT, connection -> {
            Grant made = TokenQueries.insert(connection, token, server, sets, expiresAt);
            TokenQueries.tell(connection);
            return made;
        });
        catalog.nudge();
        return new Created(token, grant);
    }

    /** All tokens, also revoked ones, newest first. */
    public List<Grant> list() throws SQLException {
        return database.<List<Grant>, RuntimeException>inTransaction("list tokens", LIMIT,
                connection -> TokenQueries.all(connection).stream().map(Entry::grant).toList());
    }

    /**
     * Revokes a token; it stops working everywhere within about a second.
     *
     * @return whether there was one of that id that was not revoked yet
     */
    public boolean revoke(String id) throws SQLException {
        boolean revoked = database.<Boolean, RuntimeException>inTransaction("revoke a token", LIMIT, connection -> {
            boolean found = TokenQueries.revoke(connection, id);
            if (found) {
                TokenQueries.tell(connection);
            }
            return found;
        });
        catalog.nudge();
        return revoked;
    }

    private void load(Connection connection) throws SQLException {
        List<Entry> entries = TokenQueries.all(connection).stream().filter(e -> e.grant().revokedAt() == null).toList();
        byId = index(entries);
        try {
            file.write(entries);
        } catch (IOException e) {
            log.warn("the tokens cannot be kept on this host: {}", e.toString());
        }
    }

    private boolean looked() {
        try {
            return !catalog.look().stale();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private List<String> complaints(String server, List<String> sets, @Nullable Instant expiresAt) {
        List<String> wrong = new ArrayList<>();
        if (server.isBlank() || server.length() > MAX_SERVER_LENGTH
                || server.chars().anyMatch(c -> c < 0x20 || c == 0x7f)) {
            wrong.add("server must be a name of 1 to " + MAX_SERVER_LENGTH + " printable characters");
        }
        if (sets.isEmpty() || sets.size() > MAX_PATTERNS) {
            wrong.add("sets must name 1 to " + MAX_PATTERNS + " sets");
        }
        sets.stream().filter(s -> !Grant.isPattern(s)).forEach(
                s -> wrong.add("'" + s + "' is neither a set's name nor the beginning of one followed by '*'"));
        if (expiresAt != null && !expiresAt.isAfter(clock.instant())) {
            wrong.add("expiresAt is in the past");
        }
        return wrong;
    }

    private static Map<String, Entry> index(List<Entry> entries) {
        return entries.stream().collect(Collectors.toUnmodifiableMap(e -> e.grant().id(), e -> e));
    }
}
