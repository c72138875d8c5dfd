package io.bellwether.cluster;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The supervision, on a real PostgreSQL, Redis and nginx; the processes behind them are stand-ins that start quickly. */
class LocalClusterTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path temporary;
    @SuppressWarnings("NullAway.Init")
    private static Path dir;
    @SuppressWarnings("NullAway.Init")
    private static LocalCluster cluster;

    static ClusterOptions options(Path dir) {
        return ClusterOptions.of(Path.of("target/bellwether"), dir).withServe(StandInServe.command()).withProcesses(2);
    }

    @BeforeAll
    static void start() throws Exception {
        dir = temporary.resolve("it's a $folder; \"quoted\" {x}");
        cluster = LocalCluster.start(options(dir), _ -> {});
    }

    @BeforeEach
    void awaitAll() throws Exception {
        cluster.awaitReady();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void start_twoProcesses_bothAnswerThroughNginx() throws Exception {
        List<String> answered = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            answered.add(get(cluster.url() + "/v1/sets").headers().firstValue("Bellwether-Process").orElse(""));
        }
        List<String> names = cluster.describe().processes().stream().map(ClusterFile.ServeProcess::name).toList();
        assertThat(names).hasSize(2).doesNotContain("");
        assertThat(answered).containsAll(names);
    }

    @Test
    void clusterFile_whenReady_saysWhatRunsWhereToTheUserAlone() throws Exception {
        ClusterFile read = ClusterFile.read(cluster.clusterFile());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(cluster.clusterFile())))
                .isEqualTo("rw-------");
        assertThat(read.url()).isEqualTo("http://127.0.0.1:" + read.nginx().port());
        assertThat(read.postgres().jdbcUrl())
                .isEqualTo("jdbc:postgresql://127.0.0.1:" + read.postgres().port() + "/bellwether");
        assertThat(read.processes()).allSatisfy(p -> assertThat(p.url()).isEqualTo("http://127.0.0.1:" + p.port()));
        assertThat(Stream.concat(Stream.of(read.nginx().pid(), read.postgres().pid(), read.redis().pid()),
                read.processes().stream().map(ClusterFile.ServeProcess::pid)))
                .allSatisfy(pid -> assertThat(OsProcess.of(pid)).isPresent()).doesNotHaveDuplicates();
    }

    @Test
    void process_killed_comesBackUnderANewPidOnItsPortAndTheFileFollows() throws Exception {
        ClusterFile.ServeProcess before = cluster.describe().processes().getFirst();
        cluster.process(1).kill();
        eventually("a new pid and name", LIMIT, () -> {
            ClusterFile.ServeProcess now = ClusterFile.read(cluster.clusterFile()).processes().getFirst();
            return now.pid() != before.pid() && !now.name().isEmpty() && !now.name().equals(before.name());
        });
        assertThat(ClusterFile.read(cluster.clusterFile()).processes().getFirst().port()).isEqualTo(before.port());
        assertThat(get(before.url() + "/readyz").statusCode()).isEqualTo(200);
    }

    @Test
    void process_stoppedBySignal_isLeftAlone() throws Exception {
        long stopped = cluster.process(2).pid();
        cluster.process(2).signal("STOP");
        try {
            // The supervision is seen to act on another process meanwhile.
            long other = cluster.process(1).pid();
            cluster.process(1).kill();
            eventually("the other is back", LIMIT,
                    () -> cluster.process(1).pid() != other && cluster.process(1).isAlive());
            assertThat(cluster.process(2).pid()).isEqualTo(stopped);
            assertThat(cluster.process(2).isAlive()).isTrue();
        } finally {
            cluster.process(2).signal("CONT");
        }
        assertThat(get(cluster.describe().processes().getLast().url() + "/readyz").statusCode()).isEqualTo(200);
    }

    @Test
    void nginx_masterKilled_comesBackAlthoughItsWorkersHeldThePort() throws Exception {
        long before = cluster.nginx().pid();
        new OsProcess(before, OsProcess.of(before).orElseThrow().startTicks()).signal("KILL");
        eventually("nginx is back", LIMIT, () -> cluster.nginx().pid() != before
                && statusOf(cluster.url() + "/nginx-health") == 200);
    }

    @Test
    void redis_stoppedAndStarted_answersAgain() throws Exception {
        cluster.redis().stop();
        assertThat(cluster.redis().isAlive()).isFalse();
        cluster.redis().start();
        assertThat(redisSays("PING")).startsWith("+PONG");
    }

    @Test
    void redis_withoutPassword_mayBeFlushedButReachesNoFileAndRunsNoScript() throws Exception {
        assertThat(redisSays("FLUSHALL")).startsWith("+OK");
        assertThat(redisSays("CONFIG SET dir /tmp")).startsWith("-NOPERM");
        assertThat(redisSays("EVAL 'return 1' 0")).startsWith("-NOPERM");
        assertThat(redisSays("SHUTDOWN")).startsWith("-NOPERM");
    }

    @Test
    void postgres_killed_comesBackWithWhatWasCommitted() throws Exception {
        execute("create table if not exists kept (n int)", "insert into kept values (42)");
        long before = cluster.postgres().pid();
        cluster.postgres().kill();
        eventually("PostgreSQL is back with its rows", LIMIT, () -> cluster.postgres().pid() != before
                && "42".equals(queryOrNull("select max(n) from kept")));
    }

    @Test
    void postgres_asConfigured_isDurableAndKnowsPasswordsOnly() throws Exception {
        assertThat(query("select current_setting('fsync') || current_setting('synchronous_commit')"
                + " || current_setting('full_page_writes') || current_setting('data_checksums')"))
                .isEqualTo("onononon");
        assertThat(query("select current_setting('listen_addresses')")).isEqualTo("127.0.0.1");
        assertThat(query("select current_setting('server_version_num')::int / 10000")).isEqualTo("18");
        assertThat(query("select rolsuper::text from pg_roles where rolname = current_user")).isEqualTo("false");
        assertThat(query("select has_schema_privilege('public', 'create')::text")).isEqualTo("true");
        assertThat(query("select (select system_identifier from pg_control_system()) is not null")).isEqualTo("t");
        ClusterFile.Postgres at = cluster.describe().postgres();
        assertThatThrownBy(() -> DriverManager.getConnection(at.jdbcUrl(), "bellwether", "wrong").close())
                .isInstanceOf(SQLException.class).hasMessageContaining("password authentication failed");
    }

    @Test
    void start_inAFolderThatIsInUse_saysSo() {
        assertThatThrownBy(() -> LocalCluster.start(options(dir), _ -> {}).close())
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining("another `bellwether up` is running in " + dir);
    }

    @Test
    void start_onAPortInUse_saysSoAndLeavesTheFolderFree(@TempDir Path other) throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> LocalCluster.start(options(other).withPort(taken.getLocalPort()), _ -> {}).close())
                    .isInstanceOf(ClusterException.class)
                    .hasMessageContaining("cannot listen on port " + taken.getLocalPort())
                    .hasMessageContaining("--port");
        }
        DirectoryLock.take(new ClusterDir(other)).close();
    }

    @Test
    void start_onDataOfAnotherMajorVersion_saysSo(@TempDir Path other) throws Exception {
        Files.createDirectories(other.resolve("postgres"));
        Files.writeString(other.resolve("postgres/PG_VERSION"), "17\n");
        assertThatThrownBy(() -> LocalCluster.start(options(other), _ -> {}).close())
                .isInstanceOf(ClusterException.class).hasMessageContaining("is the data of PostgreSQL 17");
    }

    @Test
    void start_inAFolderThatCannotBeMade_saysSo() {
        assertThatThrownBy(() -> LocalCluster.start(options(Path.of("/dev/null/cluster")), _ -> {}).close())
                .isInstanceOf(ClusterException.class).hasMessageContaining("cannot write in /dev/null/cluster");
    }

    @Test
    void start_inAFolderOfTheKernel_givesTheReasonInsteadOfThePathTwice() {
        assertThatThrownBy(() -> LocalCluster.start(options(Path.of("/proc/no-such")), _ -> {}).close())
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining("cannot write in /proc/no-such (no such file or directory)");
    }

    @Test
    void probe_answeredByAStranger_isNotReady() throws Exception {
        ClusterFile.ServeProcess is = cluster.describe().processes().getFirst();
        try (ServeProbe probe = new ServeProbe()) {
            assertThat(probe.readyName(is.port(), is.pid())).contains(is.name());
            assertThat(probe.readyName(is.port(), is.pid() + 1)).isEmpty();
        }
    }

    @Test
    void start_withAPortTakenBetweenItsChoiceAndItsUse_takesAnother(@TempDir Path other) throws Exception {
        List<String> said = new CopyOnWriteArrayList<>();
        List<String> unlucky = new ArrayList<>(List.of("/bin/sh", "-c", """
                if mkdir once 2>/dev/null; then
                    echo "bellwether: cannot listen on 127.0.0.1:$BELLWETHER_PORT: Address already in use"; exit 2
                fi
                exec "$@"
                """, "sh"));
        unlucky.addAll(StandInServe.command());
        AtomicReference<@Nullable ServerSocket> thief = new AtomicReference<>();
        Thread stealing = Thread.ofPlatform().start(() -> thief.set(takeAsSoonAsChosen(other, "postgres")));
        try (LocalCluster started = LocalCluster.start(options(other).withServe(unlucky), said::add)) {
            stealing.join();
            ServerSocket stolen = Objects.requireNonNull(thief.get());
            assertThat(started.describe().postgres().port()).isNotEqualTo(stolen.getLocalPort());
            assertThat(said).anyMatch(l -> l.matches("port \\d+ of process-\\d is taken: it moves to port \\d+"));
            List<String> names = started.describe().processes().stream().map(ClusterFile.ServeProcess::name).toList();
            eventually("nginx knows the new port", LIMIT, () -> {
                List<String> answered = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    answered.add(
                            get(started.url() + "/v1/sets").headers().firstValue("Bellwether-Process").orElse(""));
                }
                return answered.containsAll(names);
            });
        } finally {
            stealing.join();
            ServerSocket stolen = thief.get();
            if (stolen != null) {
                stolen.close();
            }
        }
    }

    private static @Nullable ServerSocket takeAsSoonAsChosen(Path dir, String part) {
        Path file = new ClusterDir(dir).ports();
        long end = System.nanoTime() + LIMIT.toNanos();
        while (System.nanoTime() - end < 0) {
            try {
                String port = Files.exists(file)
                        ? Files.readString(file).lines().filter(l -> l.startsWith(part + "="))
                                .map(l -> l.substring(part.length() + 1)).findFirst().orElse("")
                        : "";
                if (port.length() == 5) {
                    return new ServerSocket(Integer.parseInt(port), 1, InetAddress.getLoopbackAddress());
                }
            } catch (IOException e) {
                // half written: once more
            }
            Thread.onSpinWait();
        }
        return null;
    }

    @Test
    void start_withAProcessThatRefusesItsSettings_saysWhatItSaidAndLeavesNothing(@TempDir Path other) throws Exception {
        ClusterOptions wrong = options(other).withServe(List.of("/bin/sh", "-c", "echo no such setting; exit 2"));
        assertThatThrownBy(() -> LocalCluster.start(wrong, _ -> {}).close()).isInstanceOf(ClusterException.class)
                .hasMessageContaining("exit status 2").hasMessageContaining("no such setting");
        assertThat(Files.exists(other.resolve("cluster.json"))).isFalse();
        assertThat(Files.exists(other.resolve("run/pids"))).isFalse();
        DirectoryLock.take(new ClusterDir(other)).close();
    }

    private static HttpResponse<String> get(String url) throws IOException, InterruptedException {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofSeconds(15)).build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    private static int statusOf(String url) throws InterruptedException {
        try {
            return get(url).statusCode();
        } catch (IOException e) {
            return 0;
        }
    }

    private static String redisSays(String command) throws IOException {
        return RawHttp.exchange(cluster.describe().redis().port(), command + "\r\n");
    }

    private static Connection connect() throws SQLException {
        ClusterFile.Postgres at = cluster.describe().postgres();
        return DriverManager.getConnection(at.jdbcUrl(), at.user(), at.password());
    }

    private static void execute(String... statements) throws SQLException {
        try (Connection connection = connect(); var statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static String query(String sql) throws SQLException {
        try (Connection connection = connect();
                var statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            assertThat(rows.next()).isTrue();
            return String.valueOf(rows.getString(1));
        }
    }

    private static String queryOrNull(String sql) {
        try {
            return query(sql);
        } catch (SQLException e) {
            return "";
        }
    }
}
