package io.bellwether.loadtest.bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** The cluster's PostgreSQL, as its superuser. For one thread. */
public final class Postgres implements AutoCloseable {
    private static final List<String> TOLD = List.of("server_version", "shared_buffers", "max_wal_size",
            "checkpoint_timeout", "wal_level", "wal_compression", "full_page_writes", "fsync", "synchronous_commit",
            "data_checksums", "autovacuum", "maintenance_work_mem", "jit");

    private final Connection connection;

    private Postgres(Connection connection) {
        this.connection = connection;
    }

    /**
     * Connects to Bellwether's database.
     *
     * @param limit how long a statement may take
     */
    public static Postgres connect(Cluster cluster, Duration limit) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", "postgres");
        properties.setProperty("password", cluster.superuserPassword());
        properties.setProperty("ApplicationName", "benchmark");
        properties.setProperty("connectTimeout", "10");
        properties.setProperty("socketTimeout", Long.toString(limit.toSeconds()));
        return new Postgres(DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + cluster.postgresPort() + "/" + cluster.database(), properties));
    }

    /**
     * The size of a table.
     *
     * @param rowBytes the rows themselves
     * @param toastBytes long values kept beside them, with their index
     * @param indexBytes the indexes
     * @param deadRows versions of rows that are to be vacuumed, as far as the statistics know
     */
    public record TableSize(long rowBytes, long toastBytes, long indexBytes, long deadRows) {
        /** All of it. */
        public long totalBytes() {
            return rowBytes + toastBytes + indexBytes;
        }
    }

    /** The connection itself. */
    public Connection connection() {
        return connection;
    }

    /** Where the log ends; the difference of two is the bytes written. */
    public long walPosition() throws SQLException {
        return Long.parseLong(text("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text"));
    }

    /** Writes all pages, so that what follows starts equal: each page that is touched is logged whole once. */
    public void checkpoint() throws SQLException {
        execute("checkpoint");
    }

    /** Switches autovacuum, which otherwise falls into any step. */
    public void autovacuum(boolean on) throws SQLException {
        execute("alter system set autovacuum = " + on);
        text("select pg_reload_conf()");
    }

    /** Bellwether's tables by their sizes, the empty ones left out. */
    public Map<String, TableSize> sizes() throws SQLException {
        Map<String, TableSize> sizes = new LinkedHashMap<>();
        try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery("""
                select c.relname, pg_relation_size(c.oid), pg_table_size(c.oid) - pg_relation_size(c.oid),
                    pg_indexes_size(c.oid), coalesce(pg_stat_get_dead_tuples(c.oid), 0)
                from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
                order by pg_total_relation_size(c.oid) desc""")) {
            while (rows.next()) {
                if (rows.getLong(2) > 0) {
                    sizes.put(rows.getString(1), new TableSize(rows.getLong(2), rows.getLong(3), rows.getLong(4),
                            rows.getLong(5)));
                }
            }
        }
        return sizes;
    }

    /** The settings that matter here. */
    public Map<String, String> settings() throws SQLException {
        Map<String, String> settings = new LinkedHashMap<>();
        for (String name : TOLD) {
            settings.put(name, text("select current_setting('" + name + "')"));
        }
        return settings;
    }

    /** Runs a statement. */
    public void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The one value of a query. */
    public String text(String query) throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet row = statement.executeQuery(query)) {
            row.next();
            return String.valueOf(row.getString(1));
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
