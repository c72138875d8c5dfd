package io.bellwether.http;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import io.bellwether.catalog.CatalogService;
import io.bellwether.catalog.HeadsFile;
import io.bellwether.catalog.SegmentSource;
import io.bellwether.catalog.SegmentStore;
import io.bellwether.database.Database;
import io.bellwether.fleet.Grant;
import io.bellwether.settings.Settings;
import io.bellwether.telemetry.Meters;
import io.bellwether.testing.TestPostgres;
import io.bellwether.testing.TestProxy;
import io.bellwether.testing.TestPublisher;
import io.bellwether.testing.TestSets;

/** A server over a real database that is reached through a proxy, with a set {@code firewall} and another one. */
final class ServingFixture implements AutoCloseable {
    static final String EDGE = "Authorization: Bearer edge";

    final Meters meters = new Meters();
    final Database direct;
    final TestProxy proxy;
    final Database database;
    final CatalogService catalog;
    final SegmentStore store;
    final HttpServer server;
    final TestPublisher firewall;
    final TestPublisher other;
    private final Settings.Database settings;
    /** How many requests of a token got as far as the router. */
    final AtomicInteger routed = new AtomicInteger();
    private volatile boolean revoked;

    ServingFixture(Path dataDir) throws Exception {
        settings = TestPostgres.freshDatabase();
        direct = TestPostgres.open(settings);
        firewall = publisher("firewall");
        other = publisher("other");
        proxy = new TestProxy(TestPostgres.port());
        database = TestPostgres.open(TestPostgres.through(proxy.port(), settings));
        catalog = new CatalogService(database, new HeadsFile(dataDir), meters);
        store = new SegmentStore(dataDir, 1L << 30, SegmentSource.of(database), catalog::heads,
                InstantSource.system());
        catalog.start();
        Grant edge = new Grant("1", "edge-01", List.of("firewall", "missing"), Instant.EPOCH, null, null);
        Authenticator.Grants held = token -> token.equals("edge") && !revoked ? Optional.of(edge) : Optional.empty();
        Authenticator authenticator = new Authenticator(new Settings.Secret("operator"), held, token -> {
            routed.incrementAndGet();
            return held.find(token);
        });
        server = new HttpServer("127.0.0.1", 0,
                List.of(new ServingRoutes(catalog, store, meters),
                        new HealthRoutes(Map.of("catalog", catalog::isLoaded),
                                Map.of("database", () -> catalog.seesDatabase() ? "seen" : "away"), meters)),
                authenticator, meters, "test-1-abcd");
        server.start();
    }

    TestPublisher publisher(String name) throws Exception {
        return new TestPublisher(direct,
                TestSets.insert(direct, name, TestSets.definition(URI.create("http://127.0.0.1:9/feed"))), 3);
    }

    RawHttp.Answer get(String target, String... headers) throws IOException {
        return ask("GET", target, headers);
    }

    RawHttp.Answer ask(String method, String target, String... headers) throws IOException {
        try (RawHttp http = new RawHttp(server.port())) {
            List<String> all = new ArrayList<>(Arrays.asList(headers));
            if (all.stream().noneMatch(h -> h.startsWith("Authorization"))) {
                all.add(EDGE);
            }
            return http.ask(method, target, all.toArray(new String[0]));
        }
    }

    /** From now on the token of {@link #EDGE} is not valid; nobody is told. */
    void revokeEdge() {
        revoked = true;
    }

    /** Runs statements in the database. */
    void execute(String sql) {
        TestPostgres.execute(settings.url().substring(settings.url().lastIndexOf('/') + 1), sql);
    }

    /** The tag of the head. */
    String tag(TestPublisher set) {
        return "\"" + catalog.heads().shortEpoch() + ".r" + set.revision() + "\"";
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        server.stop(Duration.ZERO);
        catalog.stop(Duration.ofSeconds(1));
        database.stop(Duration.ZERO);
        proxy.close();
        direct.stop(Duration.ZERO);
        meters.close();
    }
}
