package io.bellwether.fleet;

import java.io.IOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.bellwether.catalog.CatalogService;
import io.bellwether.catalog.Heads;
import io.bellwether.policy.Sha256;

/**
 * The tokens of downstream servers, found in memory. Thread safe.
 *
 * <p>Every change raises the counters that the catalog looks at, so a process knows of a revoked token with its next
 * look, a second later at most, and of a new one at once: an unknown token is looked for again after a look.
 */
public final class Tokens {
    private static final Logger log = LoggerFactory.getLogger(Tokens.class);

    /** A token as it is kept: what it opens, and the hash of its secret. */
    record Entry(Grant grant, Sha256 secretSha256) {}

    private final CatalogService catalog;
    private final InstantSource clock;
    private final TokensFile file;
    private final AtomicReference<TokensFile.@Nullable State> toKeep = new AtomicReference<>();
    private volatile Map<String, Entry> byId;

    /**
     * The tokens, as they were last known on this host until the catalog has seen the database.
     *
     * @param catalog says when they changed; not started yet
     * @param clock tells whether one has expired
     * @param dataDir the folder in which the last ones are kept
     */
    public Tokens(CatalogService catalog, InstantSource clock, Path dataDir) {
        this.catalog = catalog;
        this.clock = clock;
        this.file = new TokensFile(dataDir);
        this.byId = index(file.read());
        catalog.onTokens(this::load);
        catalog.onKeep(this::keep);
    }

    /**
     * What this token opens.
     *
     * @return nothing when it is of another form, unknown, revoked or expired
     */
    public Optional<Grant> find(String text) {
        Optional<BearerToken> token = BearerToken.parse(text);
        if (token.isPresent() && byId.get(token.get().id()) == null && !looked()) {
            return Optional.empty();
        }
        return token.flatMap(this::opened);
    }

    /** The same, but an unknown one is not looked for: answers at once. */
    public Optional<Grant> held(String text) {
        return BearerToken.parse(text).flatMap(this::opened);
    }

    private Optional<Grant> opened(BearerToken token) {
        Entry entry = byId.get(token.id());
        if (entry == null || !MessageDigest.isEqual(entry.secretSha256().bytes(), token.secretSha256().bytes())
                || !entry.grant().isValid(clock.instant())) {
            return Optional.empty();
        }
        return Optional.of(entry.grant());
    }

    private void load(Connection connection, Heads heads) throws SQLException {
        List<Entry> entries = TokenQueries.valid(connection);
        byId = index(entries);
        toKeep.set(new TokensFile.State(heads.epoch(), heads.tokensVersion(), entries));
    }

    private void keep() {
        TokensFile.State state = toKeep.get();
        if (state == null) {
            return;
        }
        try {
            file.write(state);
            toKeep.compareAndSet(state, null);
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

    private static Map<String, Entry> index(List<Entry> entries) {
        return entries.stream().collect(Collectors.toUnmodifiableMap(e -> e.grant().id(), e -> e));
    }
}
