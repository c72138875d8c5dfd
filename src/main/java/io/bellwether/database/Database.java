package io.bellwether.database;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Properties;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.metrics.micrometer.MicrometerMetricsTrackerFactory;
import io.micrometer.core.instrument.MeterRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.bellwether.lifecycle.Service;
import io.bellwether.settings.Settings;

/**
 * The pool of connections and the transactions run on it. Thread safe.
 *
 * <p>Creating it connects to nothing; a database that is away is the caller's to handle, call by call. Every
 * transaction carries a limit which the server enforces ({@code transaction_timeout}, PostgreSQL 17 and newer), so that
 * a paused process or a stalled network holds no lock for longer than its limit.
 */
public final class Database implements Service {
    private static final Logger log = LoggerFactory.getLogger(Database.class);

    /** How long a caller waits for a connection, new or pooled. */
    static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);

    private final Settings.Database settings;
    private final HikariDataSource pool;
    private volatile boolean held;

    /**
     * A pool that connects on first use.
     *
     * @param settings where the database is
     * @param processName shown by PostgreSQL as the application's name
     * @param meters gets the pool's meters
     */
    public Database(Settings.Database settings, String processName, MeterRegistry meters) {
        this.settings = settings;
        HikariConfig config = new HikariConfig();
        config.setPoolName("bellwether");
        config.setJdbcUrl(settings.url());
        config.setMaximumPoolSize(settings.poolSize());
        config.setMinimumIdle(Math.min(2, settings.poolSize()));
        config.setConnectionTimeout(CONNECT_TIMEOUT.toMillis());
        config.setValidationTimeout(1_000);
        config.setMaxLifetime(Duration.ofMinutes(30).toMillis());
        config.setKeepaliveTime(Duration.ofMinutes(2).toMillis());
        config.setInitializationFailTimeout(-1);
        config.setAutoCommit(true);
        config.setDataSourceProperties(properties(settings, processName));
        config.setMetricsTrackerFactory(new MicrometerMetricsTrackerFactory(meters));
        this.pool = new HikariDataSource(config);
    }

    @Override
    public String name() {
        return "database";
    }

    @Override
    public void start() {
        // The pool connects by itself; a database that is away must not keep a process from starting.
    }

    @Override
    public void stop(Duration grace) {
        pool.close();
    }

    /**
     * Runs {@code body} in a transaction and commits it.
     *
     * @param what names the transaction in errors
     * @param limit how long it may take in all, enforced by the server; also bounds each statement and lock wait
     * @param body what to do; must not commit or roll back by itself
     * @return what the body returned
     * @throws SQLException if the database refuses, is away or the limit is over; the transaction is rolled back, unless
     *         the connection was lost during COMMIT, which is told by {@link AmbiguousCommitException}
     */
    public <T, X extends Exception> T inTransaction(String what, Duration limit, TransactionBody<T, X> body)
            throws SQLException, X {
        try (Connection connection = pooled()) {
            return Transactions.run(connection, what, limit, body);
        }
    }

    /**
     * Gives out no connection from now on until {@link #migrate} has succeeded: before, each question about a table that is
     * not there yet would be an error in PostgreSQL's log. Callers meet a database that is away.
     */
    public void holdUntilMigrated() {
        held = true;
    }

    private void checkHeld() throws SQLException {
        if (held) {
            throw new SQLTransientConnectionException("the schema is not up to date yet", "08001");
        }
    }

    private Connection pooled() throws SQLException {
        checkHeld();
        try {
            return pool.getConnection();
        } catch (SQLException e) {
            if (pool.isClosed()) {
                // Without a state of its own it would look like an error of ours; this process is stopping.
                throw new SQLTransientConnectionException("the pool is closed", "08003", e);
            }
            throw e;
        }
    }

    /**
     * A connection outside the pool, for long work with a session state of its own (staging tables, LISTEN). The caller
     * closes it.
     *
     * @param purpose shown by PostgreSQL behind the process' name
     * @throws SQLException if the database is away
     */
    public Connection dedicatedConnection(String purpose) throws SQLException {
        checkHeld();
        return DriverManager.getConnection(settings.url(), properties(settings, purpose));
    }

    /** How many connections the pool has at most. */
    public int poolSize() {
        return settings.poolSize();
    }

    /**
     * Brings the schema up to date, under Flyway's own lock: of several processes that start at once one migrates and
     * the others wait.
     *
     * @throws SQLException if the database is away or a migration fails
     */
    public void migrate() throws SQLException {
        Migrations.migrate(pool);
        held = false;
        log.debug("schema is up to date");
    }

    /**
     * Begins a new epoch if this database was restored or copied from another one. To be asked on each new connection
     * on which heads are read: what is behind an address can be exchanged while a process runs.
     *
     * @throws SQLException if the database is away, has no schema yet or may not be written
     */
    public static void noticeRestore(Connection connection) throws SQLException {
        Migrations.renewEpochOfRestoredDatabase(connection);
    }

    private static Properties properties(Settings.Database settings, String applicationName) {
        Properties properties = new Properties();
        properties.setProperty("user", settings.user());
        properties.setProperty("password", settings.password().value());
        properties.setProperty("ApplicationName", applicationName);
        properties.setProperty("connectTimeout", Long.toString(CONNECT_TIMEOUT.toSeconds()));
        properties.setProperty("loginTimeout", Long.toString(CONNECT_TIMEOUT.toSeconds()));
        properties.setProperty("tcpKeepAlive", "true");
        // Of several hosts the one that takes writes; what the address itself says comes first.
        properties.setProperty("targetServerType", "primary");
        properties.setProperty("reWriteBatchedInserts", "true");
        return properties;
    }
}
