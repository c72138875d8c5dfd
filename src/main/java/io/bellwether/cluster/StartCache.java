package io.bellwether.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/**
 * Makes the cache that lets a process start in about half the time: what the JVM found out about the classes, in a file
 * (JEP 483 and 514, the ahead-of-time cache of JDK 24 and 25).
 *
 * <p>It is recorded from one real process, with a PostgreSQL and a Redis of its own, while it starts, refreshes a small set
 * and answers for it. A JVM other than the one that made it, or other jars, leave the file aside and start as ever.
 */
public final class StartCache {
    private static final Duration READY_LIMIT = Duration.ofMinutes(1);
    private static final Duration PUBLISHED_LIMIT = Duration.ofSeconds(30);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);
    private static final Duration WRITE_LIMIT = Duration.ofMinutes(2);
    private static final int POLICIES = 200;
    private static final List<String> READS = List.of("/livez", "/metrics", "/v1/sets", "/v1/sets/start",
            "/v1/sets/start/manifest", "/v1/sets/start/changes?since=0", "/v1/sets/start/policies?limit=2",
            "/v1/sets/start/revisions/1/bundle.ndjson.gz", "/v1/admin/jobs", "/v1/admin/processes");

    private final Path home;
    private final Path work;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    private StartCache(Path home, Path work) {
        this.home = home;
        this.work = work;
    }

    /**
     * Makes the file, or replaces it. Takes about ten seconds.
     *
     * @param home the distribution's folder
     * @param file where to put it
     * @param say told what it does
     * @throws ClusterException with one line that says what is wrong
     */
    public static void write(Path home, Path file, Consumer<String> say)
            throws ClusterException, IOException, InterruptedException {
        Files.deleteIfExists(file);
        markJars(home.resolve("lib"));
        Path work = Files.createTempDirectory("bellwether-start-cache-");
        StartCache cache = new StartCache(home.toAbsolutePath(), work);
        try {
            Path record = work.resolve("record");
            cache.record(record);
            cache.make(record, file.toAbsolutePath());
            say.accept("wrote " + file + " (" + (Files.size(file) >> 20) + " MB)");
        } finally {
            cache.timer.shutdownNow();
            PostgresBinaries.deleteTree(work);
        }
    }

    /**
     * The JVM knows a jar again by its size and time. A build gives every jar the same time, so that equal sources make
     * equal jars; one that was built again must not pass for the one that the cache was made from.
     */
    private static void markJars(Path lib) throws IOException {
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(lib, "bellwether-*.jar")) {
            for (Path jar : jars) {
                if (Files.isWritable(jar)) {
                    Files.setLastModifiedTime(jar, FileTime.from(Instant.now()));
                }
            }
        }
    }

    private List<String> serve() {
        return List.of(home.resolve("bin/bellwether").toString(), "serve", "--exit-with-parent");
    }

    private void record(Path record) throws ClusterException, IOException, InterruptedException {
        ClusterDir dir = new ClusterDir(work.resolve("cluster"));
        dir.create();
        Secrets secrets = new Secrets(dir.secrets());
        Ports ports = new Ports(dir.ports());
        Path binaries = UserFolders.cache(System.getenv(), work.resolve("binaries"));
        PostgresServer postgres = new PostgresServer(dir, PostgresBinaries.unpack(binaries), secrets,
                ports.choose("postgres", anywhere()), 1);
        postgres.prepare();
        RedisServer redis = new RedisServer(dir, RedisServer.program(binaries), secrets,
                ports.choose("redis", anywhere()));
        int port = ports.choose("process", anywhere());
        String token = secrets.get("admin-token");
        ClusterOptions options = new ClusterOptions(1, 0, dir.root(), false, null, null, serve(), System.getenv(),
                Map.of())
                .with("BELLWETHER_START_CACHE", "")
                .with("BELLWETHER_JVM_OPTS", "-XX:AOTMode=record -XX:AOTConfiguration=" + record + " -Xlog:aot=off"
                        + " -Xlog:cds=off");
        Child database = child(dir, "postgres", postgres::command, "INT", false);
        Child gate = child(dir, "redis", redis::command, "TERM", false);
        Child process = child(dir, "process", () -> {
            ProcessBuilder builder = new ProcessBuilder(options.serve()).directory(dir.root().toFile());
            builder.environment().clear();
            builder.environment().putAll(ServeEnvironment.of(options, 1, port, dir, postgres, redis, token));
            return builder;
        }, "TERM", true);
        try {
            database.start();
            postgres.awaitReady(database);
            postgres.prepareDatabase();
            gate.start();
            redis.awaitReady(gate);
            process.start();
            use(process, port, token);
        } finally {
            process.stop();
            gate.stop();
            database.stop();
        }
    }

    /** Builds that run side by side rarely want the same port. */
    private static int anywhere() {
        return ThreadLocalRandom.current().nextInt(20_000, 32_000);
    }

    private Child child(ClusterDir dir, String name, Child.CommandSource command, String stopSignal, boolean tied) {
        return new Child(new Child.Spec(name, command, stopSignal, STOP_LIMIT, tied), new BoundedLog(dir.log(name)),
                timer, new Unwatched());
    }

    /** Has the process do once what it will do all its life, so that the classes for it are known. */
    private void use(Child process, int port, String token) throws ClusterException, IOException, InterruptedException {
        try (ServeProbe probe = new ServeProbe(); AdminClient client = new AdminClient("http://127.0.0.1:" + port)) {
            if (!Waiting.<InterruptedException>until(READY_LIMIT, () -> process.status().isPresent()
                    || probe.readyName(port, process.pid()).isPresent()) || process.status().isPresent()) {
                throw new ClusterException("the process to learn from does not start: " + process.lastLine());
            }
            Path feed = work.resolve("feed.ndjson");
            StringBuilder lines = new StringBuilder();
            for (int i = 0; i < POLICIES; i++) {
                lines.append("{\"key\":\"policy/").append(i).append("\",\"body\":{\"n\":").append(i).append("}}\n");
            }
            Files.writeString(feed, lines, StandardCharsets.UTF_8);
            client.put(token, "/v1/admin/sets/start", AdminClient.object("source",
                    AdminClient.object("url", feed.toUri().toString()), "schedule", "* * * * * *"));
            if (!Waiting.<Exception>until(PUBLISHED_LIMIT, () -> client.get(token, "/v1/sets/start").ok())) {
                throw new ClusterException("the process to learn from publishes nothing: " + process.lastLine());
            }
            for (String path : READS) {
                client.get(token, path);
            }
        } catch (ClusterException | IOException | InterruptedException e) {
            throw e;
        } catch (Exception e) {
            throw new ClusterException("the process to learn from cannot be asked: " + e, e);
        }
    }

    private void make(Path record, Path file) throws ClusterException, IOException, InterruptedException {
        if (!Files.exists(record)) {
            throw new ClusterException("this Java records no start (" + Runtime.version() + ")");
        }
        Path fresh = Files.createTempFile(file.getParent(), ".start-cache-", ".new");
        try {
            Executables.Result result = Executables.run(WRITE_LIMIT, work,
                    Map.of("BELLWETHER_START_CACHE", "", "JAVA_HOME", System.getProperty("java.home"),
                            "BELLWETHER_JVM_OPTS", "-XX:AOTMode=create -XX:AOTConfiguration=" + record
                                    + " -XX:AOTCache=" + fresh + " -Xlog:aot=off -Xlog:cds=off"),
                    serve());
            if (result.status() != 0 || Files.size(fresh) == 0) {
                throw new ClusterException("the cache could not be made: " + result.lastLine());
            }
            Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    private static final class Unwatched implements Child.Events {
        @Override
        public void started(Child child, OsProcess process) {
            // Nobody follows these.
        }

        @Override
        public void ended(Child child, int status) {
            // Whoever waits for it sees its status.
        }

        @Override
        public void line(Child child, String line) {
            // Its log keeps it.
        }
    }
}
