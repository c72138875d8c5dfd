package io.bellwether.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import io.bellwether.database.Database;
import io.bellwether.settings.Settings;

/**
 * A real PostgreSQL for the tests of this JVM, started once; each {@link #freshDatabase} is a copy of a database that
 * was migrated once. Its sessions run in another time zone than the JVM, so that a confusion of the two shows.
 */
public final class TestPostgres {
    private static final String ROLE = "bellwether";
    private static final int KEPT = 16;
    private static final AtomicInteger NEXT = new AtomicInteger();
    private static final EmbeddedPostgres SERVER = startServer();

    static {
        prepareTemplate();
    }

    private TestPostgres() {}

    /** A database of its own with the current schema and an epoch of its own. */
    public static Settings.Database freshDatabase() {
        String name = next();
        execute("postgres", "create database " + name + " template bellwether_template owner " + ROLE);
        execute(name, "update instance set fingerprint = (select system_identifier::text from pg_control_system())"
                + " || '/' || (select oid::text from pg_database where datname = current_database()), epoch = gen_random_uuid()");
        return settings(name);
    }

    /** A database of its own without any table. */
    public static Settings.Database emptyDatabase() {
        String name = next();
        execute("postgres", "create database " + name + " owner " + ROLE);
        return settings(name);
    }

    /**
     * The next name. A database made a while ago that nobody is connected to any more is dropped: hundreds of them are a
     * hundred thousand files, and deleting those took the JVM's exit minutes.
     */
    private static String next() {
        int number = NEXT.incrementAndGet();
        if (number > KEPT) {
            String old = "t" + (number - KEPT);
            try (Connection connection = DriverManager.getConnection(SERVER.getJdbcUrl("postgres", "postgres"));
                    Statement statement = connection.createStatement()) {
                statement.execute("drop database if exists " + old);
            } catch (SQLException e) {
                if (!"55006".equals(e.getSQLState())) {
                    throw new AssertionError("dropping " + old, e);
                }
                // Still in use: it stays.
            }
        }
        return "t" + number;
    }

    /** The same database, reached through another port of this host. */
    public static Settings.Database through(int port, Settings.Database settings) {
        return new Settings.Database(settings.url().replace(":" + port() + "/", ":" + port + "/"), settings.user(),
                settings.password(), settings.poolSize());
    }

    /** A pool on the database, to be stopped by the caller. */
    public static Database open(Settings.Database settings) {
        return new Database(settings, "test", new SimpleMeterRegistry());
    }

    /** The port of the server on 127.0.0.1. */
    public static int port() {
        return SERVER.getPort();
    }

    /** Runs statements as the superuser in the database of that name. */
    public static void execute(String database, String sql) {
        try (Connection connection = DriverManager.getConnection(SERVER.getJdbcUrl("postgres", database));
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    private static Settings.Database settings(String name) {
        return new Settings.Database("jdbc:postgresql://127.0.0.1:" + SERVER.getPort() + "/" + name, ROLE,
                new Settings.Secret(""), 12);
    }

    private static EmbeddedPostgres startServer() {
        try {
            return EmbeddedPostgres.builder().setServerConfig("timezone", "Asia/Kolkata")
                    .setServerConfig("max_connections", "200").setPGStartupWait(Duration.ofSeconds(60)).start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void prepareTemplate() {
        execute("postgres", "create role " + ROLE + " login; ");
        execute("postgres", "create database bellwether_template owner " + ROLE);
        Database database = open(settings("bellwether_template"));
        try {
            database.migrate();
        } catch (SQLException e) {
            throw new AssertionError(e);
        } finally {
            database.stop(Duration.ZERO);
        }
    }
}
