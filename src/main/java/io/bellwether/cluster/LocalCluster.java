package io.bellwether.cluster;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * A running cluster on this machine. Once {@link #start} returned, all processes are ready and nginx answers; once
 * {@link #close} returned, no process of it is left. The end-to-end tests start this very object, and reach each part to
 * stop, kill and start it.
 *
 * <p>Thread-safe. What it tells goes line by line to {@code say}, from several threads.
 */
public final class LocalCluster implements AutoCloseable {
    private static final String PROCESS = "process-";
    private static final int PROCESSES_FROM = 7001;
    private static final int POSTGRES_FROM = 15432;
    private static final int REDIS_FROM = 16379;
    private static final Duration LEFTOVERS_LIMIT = Duration.ofSeconds(15);
    private static final Duration PROCESSES_STOP_LIMIT = Duration.ofSeconds(12);

    private final ClusterOptions options;
    private final ClusterDir dir;
    private final Consumer<String> say;
    private final DirectoryLock lock;
    private final PidFile pids;
    private final Secrets secrets;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("cluster-timer").factory());
    private final ServeProbe probe = new ServeProbe();
    private final List<BiConsumer<String, String>> followers = new CopyOnWriteArrayList<>();

    // Set in the order of the start, by the thread that starts; null until then.
    private @Nullable Ports ports;
    private @Nullable Guardian guardian;
    private @Nullable PostgresServer postgres;
    private @Nullable Child postgresChild;
    private @Nullable RedisServer redis;
    private @Nullable Child redisChild;
    private @Nullable Front front;
    private @Nullable ServeFleet fleet;
    private String adminToken = "";
    private volatile @Nullable String demoToken;
    private volatile boolean running;
    private volatile List<ClusterFile.ServeProcess> written = List.of();
    private boolean closed;

    private LocalCluster(ClusterOptions options, ClusterDir dir, DirectoryLock lock, Consumer<String> say) {
        this.options = options;
        this.dir = dir;
        this.lock = lock;
        this.say = say;
        this.pids = new PidFile(dir.pids());
        this.secrets = new Secrets(dir.secrets());
    }

    /**
     * Starts everything and waits until it is ready; when it throws, it has stopped what it had started.
     *
     * @param say gets what a person would want to know, line by line
     * @throws ClusterException with one line that says what is wrong and what to do
     */
    public static LocalCluster start(ClusterOptions options, Consumer<String> say)
            throws ClusterException, InterruptedException {
        ClusterDir dir = new ClusterDir(options.dir());
        dir.create();
        LocalCluster cluster = new LocalCluster(options, dir, DirectoryLock.take(dir), say);
        try {
            cluster.startAll();
            return cluster;
        } catch (IOException e) {
            cluster.close();
            String where = e instanceof FileSystemException f && f.getFile() != null ? f.getFile() + ": " : "";
            throw new ClusterException(where + UserFolders.reason(e), e);
        } catch (ClusterException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private void startAll() throws IOException, ClusterException, InterruptedException {
        List<String> leftovers = PidFile.endLeftovers(dir.pids(), LEFTOVERS_LIMIT);
        if (!leftovers.isEmpty()) {
            say.accept("ended what the last `up` in this folder left running: " + String.join(", ", leftovers));
        }
        Files.deleteIfExists(dir.clusterJson());
        Ports ports = new Ports(dir.ports());
        this.ports = ports;
        ports.takeFixed(options);
        Path cache = UserFolders.cache(System.getenv(), dir.root().resolve("cache"));
        Path nginxProgram = new NginxProgram(cache, say).find(options.nginx());
        String token = options.environment().getOrDefault("BELLWETHER_ADMIN_TOKEN", "");
        adminToken = token.isEmpty() ? secrets.get("admin-token") : token;
        guardian = Guardian.start(dir.pids());

        startPostgres(ports, cache);
        startRedis(ports, cache);
        startProcesses(ports);
        Front nginx = new Front(options, dir, nginxProgram,
                command -> child("nginx", command, "TERM", Duration.ofSeconds(5), false));
        front = nginx;
        nginx.start(ports, fleet().ports());
        fleet().awaitReady(true);
        nginx.follow(fleet().ports());
        running = true;
        writeClusterFile();
        var unused = timer.scheduleWithFixedDelay(this::lookAfter, 200, 200, TimeUnit.MILLISECONDS);
    }

    private void startPostgres(Ports ports, Path cache) throws IOException, ClusterException, InterruptedException {
        Path home = PostgresBinaries.unpack(cache);
        FreePort.start("postgres", ports, POSTGRES_FROM, port -> {
            PostgresServer server = new PostgresServer(dir, home, secrets, port, options.processes());
            server.prepare();
            postgres = server;
            Child child = child("postgres", server::command, "INT", Duration.ofSeconds(15), false);
            postgresChild = child;
            child.start();
            return new Part(child, () -> server.awaitReady(child));
        });
        started(postgres).prepareDatabase();
    }

    private void startRedis(Ports ports, Path cache) throws IOException, ClusterException, InterruptedException {
        Path program = RedisServer.program(cache);
        FreePort.start("redis", ports, REDIS_FROM, port -> {
            RedisServer server = new RedisServer(dir, program, secrets, port);
            redis = server;
            Child child = child("redis", server::command, "TERM", Duration.ofSeconds(5), false);
            redisChild = child;
            child.start();
            return new Part(child, () -> server.awaitReady(child));
        });
    }

    private void startProcesses(Ports ports) throws IOException, ClusterException {
        List<Integer> chosen = new ArrayList<>();
        for (int number = 1; number <= options.processes(); number++) {
            chosen.add(ports.choose(PROCESS + number, PROCESSES_FROM));
        }
        ServeFleet processes = new ServeFleet(chosen, probe);
        fleet = processes;
        PostgresServer database = started(postgres);
        RedisServer gate = started(redis);
        for (int number = 1; number <= options.processes(); number++) {
            int n = number;
            processes.add(child(PROCESS + n, () -> {
                ProcessBuilder builder = new ProcessBuilder(options.serve()).directory(dir.root().toFile());
                builder.environment().clear();
                builder.environment().putAll(ServeEnvironment.of(options, n, processes.port(n), dir, database, gate,
                        adminToken));
                return builder;
            }, "TERM", PROCESSES_STOP_LIMIT, true));
        }
        processes.start();
    }

    /** A process's port belongs to somebody else: it gets another before it is started again. */
    private void moveProcess(Child child) {
        int number = Integer.parseInt(child.name().substring(PROCESS.length()));
        int before = fleet().port(number);
        try {
            int port = started(ports).choose(child.name(), PROCESSES_FROM);
            fleet().move(number, port);
            say.accept("port " + before + " of " + child.name() + " is taken: it moves to port " + port);
        } catch (IOException | ClusterException e) {
            say.accept("port " + before + " of " + child.name() + " is taken, and it gets no other: " + e.getMessage());
        }
    }

    private Child child(String name, Child.CommandSource command, String stopSignal, Duration grace, boolean tied) {
        return new Child(new Child.Spec(name, command, stopSignal, grace, tied), new BoundedLog(dir.log(name)), timer,
                new Follower());
    }

    /** Keeps the files in step with what lives, and tells. */
    private final class Follower implements Child.Events {
        @Override
        public void started(Child child, OsProcess process) {
            try {
                pids.put(child.name(), child.stopSignal(), process);
                if (running) {
                    writeClusterFile();
                    say.accept(child.name() + " started again as pid " + process.pid());
                }
            } catch (IOException e) {
                say.accept("cannot write in " + dir.root() + ": " + UserFolders.reason(e));
            }
        }

        @Override
        public void ended(Child child, int status) {
            boolean refused = status == ServeFleet.REFUSED && child.name().startsWith(PROCESS);
            if (running) {
                say.accept(child.name() + " ended (" + ServeFleet.status(status) + ")"
                        + (refused ? ": " + child.lastLine() : ""));
            }
            if (refused && child.missedItsPort()) {
                moveProcess(child);
            }
        }

        @Override
        public void line(Child child, String line) {
            if (child.name().startsWith(PROCESS)) {
                followers.forEach(f -> f.accept(child.name(), line));
            }
        }
    }

    /** Learns the names of processes that were started again, and keeps the access log bounded. */
    private void lookAfter() {
        try {
            fleet().learnNames(false);
            started(front).follow(fleet().ports());
            // Not as it was a moment ago: whoever waits for all to be ready learns names, too.
            if (!fleet().describe().equals(written)) {
                writeClusterFile();
            }
            started(front).rotateAccessLog();
        } catch (IOException | ClusterException | RuntimeException e) {
            say.accept("looking after the processes failed, goes on: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void writeClusterFile() throws IOException {
        if (!closed) {
            ClusterFile now = describe();
            now.write(dir.clusterJson());
            written = now.processes();
        }
    }

    /** What runs where, now. */
    public ClusterFile describe() {
        PostgresServer database = started(postgres);
        return new ClusterFile(url(), adminToken, new ClusterFile.Nginx(started(front).pid(), started(front).port()),
                new ClusterFile.Postgres(started(postgresChild).pid(), database.port(), database.jdbcUrl(),
                        PostgresServer.ROLE, database.password(), PostgresServer.DATABASE),
                new ClusterFile.Redis(started(redisChild).pid(), started(redis).port(), started(redis).url()),
                fleet().describe(), demoToken);
    }

    /** The front's address, without a slash at its end. */
    public String url() {
        return "http://127.0.0.1:" + started(front).port();
    }

    /** The token of the admin API. */
    public String adminToken() {
        return adminToken;
    }

    /** Where {@code cluster.json} is. */
    public Path clusterFile() {
        return dir.clusterJson();
    }

    /** The folder it lives in. */
    public Path dir() {
        return dir.root();
    }

    int choosePort(String part, int from) throws IOException, ClusterException {
        return started(ports).choose(part, from);
    }

    /** What a person calls the process of that name: its number, and the name. */
    String label(String name) {
        return fleet().label(name);
    }

    Secrets secrets() {
        return secrets;
    }

    /** Names the demo's token in cluster.json. */
    void demoToken(String token) throws IOException {
        demoToken = token;
        writeClusterFile();
    }

    /** Has each log line of the processes told to {@code follower}, after the process's number, which must be quick. */
    void follow(BiConsumer<String, String> follower) {
        followers.add(follower);
    }

    /** The database's process, to stop and start. */
    public Part postgres() {
        return new Part(started(postgresChild), () -> started(postgres).awaitReady(started(postgresChild)));
    }

    /** The gate's process, to stop and start. */
    public Part redis() {
        return new Part(started(redisChild), () -> started(redis).awaitReady(started(redisChild)));
    }

    /** The front's process, to stop and start. */
    public Part nginx() {
        return started(front).part();
    }

    /** One {@code serve} process, to stop and start; numbers begin at 1. */
    public Part process(int number) {
        return new Part(fleet().get(number), this::awaitReady);
    }

    /** Waits until all processes are ready, those too that are being started again. */
    public void awaitReady() throws InterruptedException, ClusterException {
        fleet().awaitReady(false);
    }

    /** How many {@code serve} processes it has. */
    public int processes() {
        return options.processes();
    }

    private ServeFleet fleet() {
        return started(fleet);
    }

    /** The part, which must have been started. */
    static <T> T started(@Nullable T part) {
        if (part == null) {
            throw new IllegalStateException("the cluster is not started");
        }
        return part;
    }

    /**
     * Stops everything, in order: the processes while nginx still answers, so that nobody meets a closed door; then nginx,
     * Redis and PostgreSQL, which writes its checkpoint. Takes a few seconds, and 40 at most. May come twice.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            running = false;
        }
        timer.shutdownNow();
        boolean interrupted = Thread.interrupted();
        try {
            if (fleet != null) {
                fleet.stop(PROCESSES_STOP_LIMIT);
            }
            if (front != null) {
                front.stop();
            }
            for (@Nullable
            Child child : new @Nullable Child[]{redisChild, postgresChild}) {
                if (child != null) {
                    child.stop();
                }
            }
            Files.deleteIfExists(dir.clusterJson());
            Files.deleteIfExists(dir.pids());
        } catch (InterruptedException e) {
            interrupted = true;
        } catch (IOException e) {
            say.accept("cannot write in " + dir.root() + ": " + UserFolders.reason(e));
        } finally {
            closeQuietly(guardian);
            closeQuietly(probe);
            closeQuietly(lock);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void closeQuietly(@Nullable AutoCloseable part) {
        try {
            if (part != null) {
                part.close();
            }
        } catch (Exception e) {
            say.accept("while stopping: " + e.getMessage());
        }
    }
}
