package io.bellwether.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import javax.sql.DataSource;

import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings the schema up to date and notices a database that was re-created or restored. Stateless. */
final class Migrations {
    private static final Logger log = LoggerFactory.getLogger(Migrations.class);
    private static final int OLDEST_SERVER = 170_000;

    /** What tells this database from every other: the cluster's identifier and the database's own. */
    private static final String HERE = "((select system_identifier::text from pg_control_system()) || '/' ||"
            + " (select oid::text from pg_database where datname = current_database()))";

    private Migrations() {}

    static void migrate(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet version = statement.executeQuery("select current_setting('server_version_num')::int")) {
            version.next();
            if (version.getInt(1) < OLDEST_SERVER) {
                throw new SQLException("PostgreSQL 17 or newer is needed (transaction_timeout), 18 is tested; this is "
                        + version.getInt(1) / 10_000);
            }
        }
        try {
            Flyway.configure().dataSource(dataSource).locations("classpath:db/migration").lockRetryCount(120)
                    .validateMigrationNaming(true).load().migrate();
        } catch (FlywayException e) {
            if (e.getCause() instanceof SQLException sql) {
                throw sql;
            }
            throw new SQLException("migration failed: " + e.getMessage(), e);
        }
        try (Connection connection = dataSource.getConnection()) {
            renewEpochOfRestoredDatabase(connection);
        }
    }

    /** Begins a new epoch if the tables were made in another database than this one; writes nothing otherwise. */
    static void renewEpochOfRestoredDatabase(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            try (ResultSet moved = statement.executeQuery("select fingerprint <> " + HERE + " from instance")) {
                if (!moved.next() || !moved.getBoolean(1)) {
                    return;
                }
            }
            int renewed = statement.executeUpdate("update instance set epoch = gen_random_uuid(), fingerprint = " + HERE
                    + ", heads_version = heads_version + 1, tokens_version = tokens_version + 1"
                    + " where fingerprint <> " + HERE);
            if (renewed == 1) {
                log.warn("this database was restored or copied from another one: a new epoch begins, and clients"
                        + " that follow a set fetch it anew");
            }
        }
    }
}
