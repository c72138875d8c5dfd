package io.bellwether.catalog;

import java.net.URI;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import io.bellwether.database.Database;
import io.bellwether.settings.Settings;
import io.bellwether.telemetry.Meters;
import io.bellwether.testing.TestPostgres;
import io.bellwether.testing.TestPublisher;
import io.bellwether.testing.TestSets;

/** A database of its own for each test, with sets to publish, and catalogs of one host that read it. */
abstract class CatalogFixture {
    final Meters meters = new Meters();
    final List<AutoCloseable> toClose = new ArrayList<>();
    Settings.Database settings;
    Database database;

    @TempDir
    Path dataDir;

    @BeforeEach
    void open() {
        settings = TestPostgres.freshDatabase();
        database = TestPostgres.open(settings);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : toClose.reversed()) {
            one.close();
        }
        database.stop(Duration.ZERO);
        meters.close();
    }

    CatalogService started(Database on) throws InterruptedException {
        CatalogService catalog = new CatalogService(on, new HeadsFile(dataDir), meters);
        toClose.add(() -> catalog.stop(Duration.ofSeconds(2)));
        catalog.start();
        return catalog;
    }

    TestPublisher publisher(String name) throws SQLException {
        return new TestPublisher(database,
                TestSets.insert(database, name, TestSets.definition(URI.create("http://127.0.0.1:9/feed"))), 3);
    }
}
