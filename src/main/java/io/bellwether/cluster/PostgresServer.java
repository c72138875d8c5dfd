package io.bellwether.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * The cluster's PostgreSQL: durable (fsync and synchronous commit on, page checksums), on 127.0.0.1 alone, with passwords.
 * The server belongs to the role {@code postgres}; Bellwether has a role and a database of its own and is no superuser.
 *
 * <p>PostgreSQL refuses to run as root. Root therefore runs it in a user namespace, where it has root's files but no
 * privileges.
 */
final class PostgresServer {
    static final String ROLE = "bellwether";
    static final String DATABASE = "bellwether";
    private static final String SUPERUSER_SECRET = "postgres-superuser";
    private static final String ROLE_SECRET = "postgres-bellwether";
    private static final Duration INIT_LIMIT = Duration.ofMinutes(2);
    /** After a crash the server first replays its log. */
    private static final Duration START_LIMIT = Duration.ofMinutes(2);
    private static final int SPARE_CONNECTIONS = 40;
    private static final int CONNECTIONS_OF_A_PROCESS = 15;

    private final ClusterDir dir;
    private final Path home;
    private final Secrets secrets;
    private final int port;
    private final int maxConnections;
    private final List<String> unprivileged;
    private final String password;

    PostgresServer(ClusterDir dir, Path home, Secrets secrets, int port, int processes)
            throws IOException, InterruptedException, ClusterException {
        this.dir = dir;
        this.home = home;
        this.secrets = secrets;
        this.port = port;
        this.maxConnections = SPARE_CONNECTIONS + CONNECTIONS_OF_A_PROCESS * Math.max(processes, 4);
        this.unprivileged = withoutPrivileges();
        this.password = secrets.get(ROLE_SECRET);
    }

    private static List<String> withoutPrivileges() throws IOException, InterruptedException, ClusterException {
        if (!UserFolders.isRoot()) {
            return List.of();
        }
        if (Executables.onPath("unshare").isEmpty() || Executables
                .run(Duration.ofSeconds(10), Path.of("/"), Map.of(), List.of("unshare", "-U", "true")).status() != 0) {
            throw new ClusterException("PostgreSQL does not run as root, and this machine lets root make no user"
                    + " namespace (unshare -U): run `up` as an ordinary user");
        }
        return List.of("unshare", "-U");
    }

    int port() {
        return port;
    }

    String jdbcUrl() {
        return jdbcUrl(DATABASE);
    }

    String password() {
        return password;
    }

    private String jdbcUrl(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
    }

    /** Makes the data folder when there is none; refuses one of another major version. */
    void prepare() throws IOException, InterruptedException, ClusterException {
        Path data = dir.postgresData();
        Path versionFile = data.resolve("PG_VERSION");
        if (Files.exists(versionFile)) {
            String version = Files.readString(versionFile, StandardCharsets.UTF_8).strip();
            if (!version.equals(PostgresBinaries.MAJOR)) {
                throw new ClusterException(data + " is the data of PostgreSQL " + version + ", and this is PostgreSQL "
                        + PostgresBinaries.MAJOR + ": move it away or choose another folder with --dir");
            }
            if (secrets.find(SUPERUSER_SECRET).isEmpty()) {
                throw new ClusterException("the password of " + data + " is missing in " + dir.secrets()
                        + ": move the data away or choose another folder with --dir");
            }
            return;
        }
        Path made = data.resolveSibling("postgres.new");
        PostgresBinaries.deleteTree(made);
        secrets.get(SUPERUSER_SECRET);
        List<String> command = new ArrayList<>(unprivileged);
        command.addAll(List.of(home.resolve("bin/initdb").toString(), "-D", made.toString(), "-U", "postgres",
                "--pwfile=" + secrets.file(SUPERUSER_SECRET), "--auth=scram-sha-256", "--encoding=UTF8",
                "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--no-instructions"));
        Executables.Result result = Executables.run(INIT_LIMIT, dir.root(), Map.of("LC_ALL", "C", "TZ", "UTC"),
                command);
        if (result.status() != 0) {
            throw new ClusterException("PostgreSQL's data folder could not be made in " + dir.root() + ": "
                    + result.lines().filter(l -> l.contains("error:") || l.contains("FATAL")).findFirst()
                            .orElse(result.lastLine()));
        }
        Files.move(made, data);
    }

    ProcessBuilder command() {
        List<String> command = new ArrayList<>(unprivileged);
        command.addAll(List.of(home.resolve("bin/postgres").toString(), "-D", dir.postgresData().toString()));
        Map.ofEntries(Map.entry("listen_addresses", "127.0.0.1"), Map.entry("port", Integer.toString(port)),
                Map.entry("unix_socket_directories", ""), Map.entry("fsync", "on"),
                Map.entry("synchronous_commit", "on"), Map.entry("max_connections", Integer.toString(maxConnections)),
                Map.entry("password_encryption", "scram-sha-256"), Map.entry("shared_buffers", "256MB"),
                Map.entry("max_wal_size", "2GB"), Map.entry("wal_compression", "on"), Map.entry("jit", "off"),
                Map.entry("timezone", "UTC"), Map.entry("log_timezone", "UTC"), Map.entry("log_checkpoints", "off"),
                Map.entry("logging_collector", "off"), Map.entry("log_line_prefix", "%m [%p] %a "))
                .forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
        ProcessBuilder builder = new ProcessBuilder(command).directory(dir.root().toFile());
        builder.environment().put("LC_ALL", "C");
        return builder;
    }

    /** Waits until it takes connections. */
    void awaitReady(Child child) throws IOException, InterruptedException, ClusterException {
        Path status = dir.postgresData().resolve("postmaster.pid");
        boolean ready = Waiting.<IOException>until(START_LIMIT, () -> {
            if (child.status().isPresent()) {
                return true;
            }
            if (!Files.exists(status)) {
                return false;
            }
            List<String> lines = Files.readAllLines(status, StandardCharsets.ISO_8859_1);
            return lines.size() >= 8 && lines.getFirst().strip().equals(Long.toString(child.pid()))
                    && lines.get(7).strip().equals("ready");
        });
        if (!ready || child.status().isPresent()) {
            String why = child.lastLines().stream().filter(l -> l.contains("FATAL:") || l.contains("PANIC:"))
                    .reduce((_, b) -> b).orElse(child.lastLines().isEmpty()
                            ? "it said nothing"
                            : child.lastLines().getLast());
            throw new ClusterException("PostgreSQL does not start (" + why + "); its log is " + child.log().file());
        }
    }

    /** Makes Bellwether's role and database; again and again gives the same. */
    void prepareDatabase() throws IOException, ClusterException {
        try (Connection connection = connect("postgres"); Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(30);
            if (!exists(statement, "select 1 from pg_roles where rolname = '" + ROLE + "'")) {
                statement.execute("create role " + ROLE + " login");
            }
            statement.execute("alter role " + ROLE + " password '" + password + "'");
            if (!exists(statement, "select 1 from pg_database where datname = '" + DATABASE + "'")) {
                statement.execute("create database " + DATABASE + " owner " + ROLE);
            }
        } catch (SQLException e) {
            throw new ClusterException("PostgreSQL runs, but its database cannot be prepared: " + e.getMessage(), e);
        }
    }

    private static boolean exists(Statement statement, String query) throws SQLException {
        try (ResultSet rows = statement.executeQuery(query)) {
            return rows.next();
        }
    }

    private Connection connect(String database) throws SQLException, IOException {
        Properties properties = new Properties();
        properties.setProperty("user", "postgres");
        properties.setProperty("password", secrets.get(SUPERUSER_SECRET));
        properties.setProperty("connectTimeout", "10");
        properties.setProperty("socketTimeout", "60");
        return DriverManager.getConnection(jdbcUrl(database), properties);
    }
}
