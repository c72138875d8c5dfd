package io.bellwether.fleet;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.bellwether.catalog.CatalogService;
import io.bellwether.catalog.HeadsFile;
import io.bellwether.database.Database;
import io.bellwether.settings.Settings;
import io.bellwether.telemetry.Meters;
import io.bellwether.testing.TestPostgres;
import io.bellwether.testing.TestProxy;

class TokensTest {
    private final Meters meters = new Meters();
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
    private final List<CatalogService> catalogs = new ArrayList<>();
    private Settings.Database settings;
    private Database database;

    @TempDir
    private Path dataDir;

    @BeforeEach
    void open() {
        settings = TestPostgres.freshDatabase();
        database = TestPostgres.open(settings);
    }

    @AfterEach
    void close() {
        catalogs.forEach(c -> c.stop(Duration.ofSeconds(1)));
        database.stop(Duration.ZERO);
        meters.close();
    }

    /** The tokens as one process sees them. */
    private Tokens process(Database on) throws InterruptedException {
        CatalogService catalog = new CatalogService(on, new HeadsFile(dataDir), meters);
        catalogs.add(catalog);
        Tokens tokens = new Tokens(catalog, now::get, dataDir);
        catalog.start();
        return tokens;
    }

    private BearerToken create(@Nullable Instant expiresAt, String... sets) throws SQLException {
        BearerToken token = BearerToken.create();
        database.inTransaction("test token", Duration.ofSeconds(5), connection -> {
            try (PreparedStatement insert = connection.prepareStatement("insert into token (token_id, server, sets,"
                    + " secret_sha256, expires_at) values (?, 'edge-01', ?, ?, ?)")) {
                insert.setString(1, token.id());
                insert.setArray(2, connection.createArrayOf("text", sets));
                insert.setBytes(3, token.secretSha256().bytes());
                insert.setObject(4, expiresAt == null ? null : OffsetDateTime.ofInstant(expiresAt, ZoneOffset.UTC));
                insert.executeUpdate();
            }
            raise(connection);
            return true;
        });
        return token;
    }

    private void revoke(BearerToken token) throws SQLException {
        database.inTransaction("test revoke", Duration.ofSeconds(5), connection -> {
            try (PreparedStatement update = connection
                    .prepareStatement("update token set revoked_at = clock_timestamp() where token_id = ?")) {
                update.setString(1, token.id());
                update.executeUpdate();
            }
            raise(connection);
            return true;
        });
    }

    private static void raise(Connection connection) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("update instance set"
                + " heads_version = heads_version + 1, tokens_version = tokens_version + 1")) {
            update.executeUpdate();
        }
    }

    @Test
    void find_justCreatedElsewhere_worksAtOnceInEveryProcess() throws Exception {
        List<Tokens> processes = List.of(process(database), process(database));
        for (int i = 0; i < 20; i++) {
            BearerToken token = create(null, "firewall", "geo-*");
            for (Tokens process : processes) {
                Grant grant = process.find(token.text()).orElseThrow();
                assertThat(grant.server()).isEqualTo("edge-01");
                assertThat(grant.mayRead("firewall")).isTrue();
                assertThat(grant.mayRead("geo-eu")).isTrue();
                assertThat(grant.mayRead("firewall-2")).isFalse();
                assertThat(grant.mayRead("geo")).isFalse();
            }
        }
    }

    @Test
    void find_revokedElsewhere_failsWithinTwoSecondsWithoutANotification() throws Exception {
        Tokens tokens = process(database);
        BearerToken token = create(null, "*");
        BearerToken other = create(null, "*");
        assertThat(tokens.find(token.text())).isPresent();
        revoke(token);
        eventually("it is revoked here", Duration.ofSeconds(2), () -> tokens.find(token.text()).isEmpty());
        assertThat(tokens.find(other.text())).isPresent();
    }

    @Test
    void find_wrongSecretOrFormOrTime_isNothing() throws Exception {
        Tokens tokens = process(database);
        BearerToken token = create(now.get().plusSeconds(60), "*");
        assertThat(tokens.find(token.text())).isPresent();
        assertThat(tokens.find(new BearerToken(token.id(), "0".repeat(64)).text())).isEmpty();
        assertThat(tokens.find(new BearerToken("0".repeat(12), token.secret()).text())).isEmpty();
        for (String bad : List.of("", "bw_", token.text() + "0", token.text().substring(1), "operator")) {
            assertThat(tokens.find(bad)).as(bad).isEmpty();
        }
        now.set(now.get().plusSeconds(61));
        assertThat(tokens.find(token.text())).isEmpty();
    }

    @Test
    void find_databaseAway_goesOnAndAFreshProcessKnowsThemToo() throws Exception {
        try (TestProxy proxy = new TestProxy(TestPostgres.port())) {
            Database through = TestPostgres.open(TestPostgres.through(proxy.port(), settings));
            try {
                Tokens tokens = process(through);
                BearerToken token = create(now.get().plusSeconds(60), "firewall");
                assertThat(tokens.find(token.text())).isPresent();
                awaitKept(1);
                proxy.cut();
                assertThat(tokens.find(token.text())).isPresent();
                Tokens fresh = process(through);
                assertThat(fresh.find(token.text()).orElseThrow().sets()).containsExactly("firewall");
                now.set(now.get().plusSeconds(61));
                assertThat(fresh.find(token.text())).isEmpty();
                byte[] kept = Files.readAllBytes(dataDir.resolve("tokens"));
                assertThat(new String(kept, StandardCharsets.ISO_8859_1)).doesNotContain(token.secret());
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(dataDir.resolve("tokens"))))
                        .isEqualTo("rw-------");
            } finally {
                through.stop(Duration.ZERO);
            }
        }
    }

    private void awaitKept(int count) throws Exception {
        eventually("tokens are kept", Duration.ofSeconds(5), () -> new TokensFile(dataDir).read().size() == count);
    }

    @Test
    void tokensFile_writtenLateByAnotherProcess_keepsTheNewerTokens() throws Exception {
        // A process that had been paused wrote a token that was revoked meanwhile back into the file.
        UUID epoch = UUID.randomUUID();
        BearerToken token = BearerToken.create();
        Tokens.Entry entry = new Tokens.Entry(
                new Grant(token.id(), "edge-01", List.of("*"), Instant.EPOCH, null, null), token.secretSha256());
        TokensFile file = new TokensFile(dataDir);
        file.write(new TokensFile.State(epoch, 7, List.of(entry)));
        assertThat(file.read()).hasSize(1);
        file.write(new TokensFile.State(epoch, 9, List.of()));
        new TokensFile(dataDir).write(new TokensFile.State(epoch, 8, List.of(entry)));
        assertThat(file.read()).isEmpty();
        file.write(new TokensFile.State(UUID.randomUUID(), 1, List.of(entry)));
        assertThat(file.read()).hasSize(1);
    }

    @Test
    void tokensFile_damaged_isIgnored() throws Exception {
        Tokens tokens = process(database);
        BearerToken token = create(null, "*");
        assertThat(tokens.find(token.text())).isPresent();
        awaitKept(1);
        byte[] good = Files.readAllBytes(dataDir.resolve("tokens"));
        for (int length = 0; length < good.length; length++) {
            Files.write(dataDir.resolve("tokens"), Arrays.copyOf(good, length));
            assertThat(new TokensFile(dataDir).read()).as("cut at %d", length).isEmpty();
            byte[] bad = good.clone();
            bad[length] ^= 1;
            Files.write(dataDir.resolve("tokens"), bad);
            assertThat(new TokensFile(dataDir).read()).as("wrong at %d", length).isEmpty();
        }
        Files.write(dataDir.resolve("tokens"), good);
        assertThat(new TokensFile(dataDir).read()).hasSize(1);
    }
}
