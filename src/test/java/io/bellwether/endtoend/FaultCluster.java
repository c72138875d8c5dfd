package io.bellwether.endtoend;

import static io.bellwether.testing.Eventually.eventually;
import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.bellwether.cluster.ClusterFile;
import io.bellwether.cluster.ClusterOptions;
import io.bellwether.cluster.LocalCluster;
import io.bellwether.cluster.Part;
import io.bellwether.fault.Failpoint;
import io.bellwether.fault.FaultInjection;
import io.bellwether.testing.FaultInjector;
import io.bellwether.testing.TestProxy;

/**
 * Four processes of the distribution that was just built, each with failpoints that can be armed, a clock that can be set
 * and a proxy of its own before the database and before Redis; started once for all tests of this JVM. Who breaks
 * something mends it, or calls {@link #heal}. Thread safe.
 */
final class FaultCluster {
    /** Short, so that a take-over is seen soon. */
    static final Duration LEASE = Duration.ofSeconds(6);

    /** A take-over comes this long after a run's last heartbeat, at most. */
    static final Duration TAKE_OVER = LEASE.plusSeconds(5);

    /** What a process that is told to stop leaves to its runs. */
    static final Duration GRACE = Duration.ofSeconds(2);

    static final int PROCESSES = 4;

    private static final Path HOME = Path.of("target/bellwether");
    private static final String REDIS_PASSWORD = "a-password-that-the-proxies-know";
    private static final Duration REACHED = Duration.ofSeconds(60);

    private static @Nullable FaultCluster running;

    private final LocalCluster cluster;
    private final Path faults;
    private final Path clocks;
    private final List<TestProxy> databases;
    private final List<TestProxy> redises;
    private final List<String> told;

    private FaultCluster(LocalCluster cluster, Path dir, List<TestProxy> databases, List<TestProxy> redises,
            List<String> told) {
        this.cluster = cluster;
        this.told = told;
        this.faults = dir.resolve("faults");
        this.clocks = dir.resolve("clocks");
        this.databases = List.copyOf(databases);
        this.redises = List.copyOf(redises);
    }

    /** The cluster, mended, with all of its processes ready. */
    static synchronized FaultCluster get() throws Exception {
        FaultCluster shared = running;
        if (shared == null) {
            Path dir = Files.createTempDirectory("bellwether-faults");
            shared = start(dir);
            running = shared;
            FaultCluster started = shared;
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                started.mend();
                started.cluster.close();
                keepLogs(dir.resolve("cluster/logs"), Path.of("target/fault-cluster-logs"));
                SharedCluster.delete(dir);
            }));
        }
        shared.heal();
        return shared;
    }

    /** For whoever wants to know why a test failed. */
    private static void keepLogs(Path from, Path to) {
        try (Stream<Path> logs = Files.list(from)) {
            Files.createDirectories(to);
            for (Path log : logs.toList()) {
                Files.copy(log, to.resolve(log.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException e) {
            System.err.println("the logs of the cluster could not be kept: " + e);
        }
    }

    private static FaultCluster start(Path dir) throws Exception {
        Path faults = Files.createDirectories(dir.resolve("faults"));
        Path clocks = Files.createDirectories(dir.resolve("clocks"));
        // Made here so that the proxies' addresses can bear it; the cluster keeps what it finds.
        Path secrets = Files.createDirectories(dir.resolve("cluster/secrets"));
        Files.writeString(secrets.resolve("redis"), REDIS_PASSWORD);
        PortsOfItsOwn.choose(dir.resolve("cluster"));
        Path ports = dir.resolve("cluster/run/ports.properties");
        List<TestProxy> databases = new ArrayList<>();
        List<TestProxy> redises = new ArrayList<>();
        ClusterOptions options = ClusterOptions.of(HOME, dir.resolve("cluster")).withProcesses(PROCESSES)
                .withServe(serve(injector(dir.resolve("injector")))).with("BELLWETHER_LEASE", LEASE.toString())
                .with("BELLWETHER_SHUTDOWN_GRACE", GRACE.toString())
                .with(FaultInjector.FOLDER, faults.toString());
        for (int number = 1; number <= PROCESSES; number++) {
            TestProxy database = new TestProxy(() -> port(ports, "postgres"));
            TestProxy redis = new TestProxy(() -> port(ports, "redis"));
            databases.add(database);
            redises.add(redis);
            options = options
                    .with(number, "BELLWETHER_DATABASE_URL",
                            "jdbc:postgresql://127.0.0.1:" + database.port() + "/bellwether")
                    .with(number, "BELLWETHER_REDIS_URL",
                            "redis://bellwether:" + REDIS_PASSWORD + "@127.0.0.1:" + redis.port())
                    .with(number, FaultInjector.CLOCK, clocks.resolve(Integer.toString(number)).toString());
        }
        List<String> told = new CopyOnWriteArrayList<>();
        return new FaultCluster(LocalCluster.start(options, told::add), dir, databases, redises, told);
    }

    /** What {@code bin/bellwether serve} runs, with one folder more on its class path, and quick to start. */
    private static List<String> serve(Path injector) throws IOException {
        Path home = HOME.toAbsolutePath();
        String jars;
        try (Stream<Path> files = Files.list(home.resolve("lib"))) {
            jars = files.map(Path::toString).filter(f -> f.endsWith(".jar")).sorted().collect(joining(":"));
        }
        return List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow", "-Xms32m", "-Xmx192m",
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:AOTCache=" + home.resolve("lib/bellwether.aot"),
                "-Xlog:aot=off", "-Xlog:cds=off", "-Dbellwether.home=" + home, "-cp", jars + ":" + injector,
                "io.bellwether.cli.Main", "serve", "--exit-with-parent");
    }

    /** A folder with the classes of the injector, and no others. */
    private static Path injector(Path folder) throws IOException, URISyntaxException {
        Path classes = Path.of(FaultInjector.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        Path from = classes.resolve("io/bellwether/testing");
        Path to = Files.createDirectories(folder.resolve("io/bellwether/testing"));
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.filter(f -> f.getFileName().toString().startsWith("FaultInjector")).toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(services.resolve(FaultInjection.class.getName()), FaultInjector.class.getName() + "\n");
        return folder;
    }

    private static int port(Path file, String part) throws IOException {
        Properties ports = new Properties();
        try (InputStream in = Files.newInputStream(file)) {
            ports.load(in);
        }
        String port = ports.getProperty(part);
        if (port == null) {
            throw new IOException(part + " has no port yet");
        }
        return Integer.parseInt(port);
    }

    /** All that is not about faults. */
    LocalCluster cluster() {
        return cluster;
    }

    /** The API through nginx, asked again while all processes are down. */
    Api api() {
        return new Api(cluster).patient();
    }

    /** The API of one process, past nginx. */
    Api api(int number) {
        return new Api(cluster.describe().processes().get(number - 1).url(), cluster.adminToken());
    }

    /** One process, by its number from 1. */
    Part process(int number) {
        return cluster.process(number);
    }

    /** The number of the process that has this name, as in a run's row. */
    int number(String process) {
        List<ClusterFile.ServeProcess> all = cluster.describe().processes();
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).name().equals(process)) {
                return i + 1;
            }
        }
        throw new AssertionError("no process is called " + process + " now: " + all);
    }

    /** The proxy between process {@code number} and the database. */
    TestProxy database(int number) {
        return databases.get(number - 1);
    }

    /** The proxy between process {@code number} and Redis. */
    TestProxy redis(int number) {
        return redises.get(number - 1);
    }

    /** Sets how far the clock of process {@code number} is off, from now on. */
    void clock(int number, Duration offset) throws IOException {
        Path file = clocks.resolve(Integer.toString(number));
        Path fresh = clocks.resolve(number + ".new");
        Files.writeString(fresh, Long.toString(offset.toMillis()));
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** A connection to Bellwether's database, past all proxies; to be closed by the caller. */
    Connection connect() throws SQLException {
        ClusterFile.Postgres postgres = cluster.describe().postgres();
        return DriverManager.getConnection(postgres.jdbcUrl(), postgres.user(), postgres.password());
    }

    /** What process {@code number}, and those that follow it under that number, write from now on. */
    LogSince logSince(int number) throws IOException {
        return LogSince.now(cluster.dir().resolve("logs/process-" + number + ".log"));
    }

    /** What all processes write from now on, by number less one. */
    List<LogSince> logsSince() throws IOException {
        List<LogSince> logs = new ArrayList<>();
        for (int number = 1; number <= PROCESSES; number++) {
            logs.add(logSince(number));
        }
        return logs;
    }

    /** What PostgreSQL writes from now on. */
    LogSince postgresLogSince() throws IOException {
        return LogSince.now(cluster.dir().resolve("logs/postgres.log"));
    }

    /** What process {@code number}, and those before it of that number, wrote. */
    String log(int number) throws IOException {
        return Files.readString(cluster.dir().resolve("logs/process-" + number + ".log"));
    }

    /** What PostgreSQL wrote. */
    String postgresLog() throws IOException {
        return Files.readString(cluster.dir().resolve("logs/postgres.log"));
    }

    /** What the supervisor of the processes told so far: who ended how, who was started again. */
    List<String> told() {
        return List.copyOf(told);
    }

    /** Has the first process that reaches the point do {@code action}, once; what there is says {@link FaultInjector}. */
    Armed arm(Failpoint point, String job, String action) throws IOException {
        return arm(point + "@" + job, action);
    }

    private Armed arm(String name, String action) throws IOException {
        for (String suffix : List.of("", ".taken", ".reached", ".go")) {
            Files.deleteIfExists(faults.resolve(name + suffix));
        }
        Path fresh = faults.resolve(name + ".new");
        Files.writeString(fresh, action);
        Files.move(fresh, faults.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        return new Armed(faults, name);
    }

    /** Waits until every process has this revision as its head. */
    void assertServedByAll(String set, long revision) throws Exception {
        for (int number = 1; number <= PROCESSES; number++) {
            int one = number;
            eventually("process " + number + " serves revision " + revision + " of " + set, REACHED,
                    () -> serves(one, set, revision));
        }
    }

    private boolean serves(int number, String set, long revision) throws InterruptedException {
        try {
            return api(number).json("/v1/sets/" + set).path("revision").longValue() == revision;
        } catch (IOException e) {
            return false; // It is being started again.
        }
    }

    /** Mends whatever tests break, and waits until all processes are ready. */
    void heal() throws Exception {
        mend();
        cluster.awaitReady();
    }

    private void mend() {
        try {
            // What is held goes on; what is armed is not reached any more.
            try (Stream<Path> files = Files.list(faults)) {
                for (Path file : files.toList()) {
                    String name = file.getFileName().toString();
                    if (name.endsWith(".taken")) {
                        Files.writeString(faults.resolve(name.replace(".taken", ".go")), "");
                    } else if (!name.contains(".")) {
                        Files.deleteIfExists(file);
                    }
                }
            }
            for (int number = 1; number <= PROCESSES; number++) {
                database(number).pass();
                redis(number).pass();
                clock(number, Duration.ZERO);
                process(number).signal("CONT");
            }
            cluster.postgres().signal("CONT");
            cluster.redis().signal("CONT");
        } catch (IOException e) {
            throw new AssertionError("the cluster could not be mended", e);
        }
    }

    /** A failpoint that waits for somebody to reach it. */
    static final class Armed {
        private final Path faults;
        private final String name;

        private Armed(Path faults, String name) {
            this.faults = faults;
            this.name = name;
        }

        /** Whether it was reached. */
        boolean isReached() {
            return Files.exists(faults.resolve(name + ".reached"));
        }

        /** Waits until it was reached, and tells by whom. */
        Reached awaitReached() throws Exception {
            eventually(name + " is reached", REACHED, this::isReached);
            List<String> lines = Files.readAllLines(faults.resolve(name + ".reached"), StandardCharsets.UTF_8);
            return new Reached(Long.parseLong(lines.get(0)), lines.get(1));
        }

        /** Lets it go on that was stopped there, however late it did stop. */
        void goOn(Reached stopped) throws Exception {
            eventually(stopped + " goes on from " + name, REACHED, () -> {
                stopped.signal("CONT");
                return Files.exists(faults.resolve(name + ".passed"));
            });
        }

        /** Lets whoever is held there go on. */
        void release() throws IOException {
            Files.writeString(faults.resolve(name + ".go"), "");
        }
    }

    /** Who reached a failpoint. */
    record Reached(long pid, String process) {
        /** Sends it a signal. */
        void signal(String signal) throws IOException, InterruptedException {
            new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).start().waitFor();
        }
    }
}
