package io.bellwether.app;

import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.bellwether.admin.ProcessList;
import io.bellwether.admin.SetAdmin;
import io.bellwether.admin.SetRuns;
import io.bellwether.admin.TokenAdmin;
import io.bellwether.catalog.CatalogService;
import io.bellwether.catalog.HeadsFile;
import io.bellwether.catalog.SegmentSource;
import io.bellwether.catalog.SegmentStore;
import io.bellwether.catalog.SegmentWarmer;
import io.bellwether.database.Database;
import io.bellwether.database.DatabaseClock;
import io.bellwether.fault.Failpoint;
import io.bellwether.fleet.Tokens;
import io.bellwether.http.AboutRoutes;
import io.bellwether.http.AdminContentRoutes;
import io.bellwether.http.AdminJobRoutes;
import io.bellwether.http.AdminSetRoutes;
import io.bellwether.http.AdminTokenRoutes;
import io.bellwether.http.Authenticator;
import io.bellwether.http.HealthRoutes;
import io.bellwether.http.HttpServer;
import io.bellwether.http.ServingRoutes;
import io.bellwether.lease.JobControl;
import io.bellwether.lease.JobDefinition;
import io.bellwether.lease.JobQueries;
import io.bellwether.lease.JobWork;
import io.bellwether.lease.RedissonGate;
import io.bellwether.lease.TickService;
import io.bellwether.lifecycle.Periodic;
import io.bellwether.lifecycle.Service;
import io.bellwether.lifecycle.ServiceStack;
import io.bellwether.refresh.IndexFiles;
import io.bellwether.refresh.RefreshWork;
import io.bellwether.refresh.RetentionWork;
import io.bellwether.settings.Settings;
import io.bellwether.settings.SettingsException;
import io.bellwether.source.FeedSource;
import io.bellwether.source.SourceAllow;
import io.bellwether.telemetry.Meters;

/**
 * One server process, from its settings to {@code ready} and back. Used once.
 *
 * <p>Reading comes first and going last: a process serves before it takes part in the schedule, and has left the schedule
 * before it stops serving.
 */
public final class ServerProcess {
    /** The built-in job that removes what nobody needs any more, under the same rules as every other. */
    private static final JobDefinition RETENTION = new JobDefinition("retention", "retention", null, "0 17 * * * *",
            "UTC", "coalesce", Duration.ofDays(1), Duration.ofMinutes(30), true);

    /** How long a stop waits for a start that is under way to give up. */
    private static final Duration START_ENDS = Duration.ofSeconds(10);

    private static final Logger log = LoggerFactory.getLogger(ServerProcess.class);

    private final Settings settings;
    private final String name;
    private final SourceAllow sources;
    private final ServiceStack running = new ServiceStack();
    private final AtomicBoolean stopping = new AtomicBoolean();
    private volatile boolean ready;
    private volatile boolean migrated;
    private volatile int port;
    private volatile List<String> routes = List.of();
    private volatile Runnable drain = () -> {};
    private final CountDownLatch startOver = new CountDownLatch(1);
    private final Object starting = new Object();

    @GuardedBy("starting")
    private @Nullable Thread starter;

    /**
     * A process that does not run yet.
     *
     * @param settings what it reads from its environment
     * @throws SettingsException if a setting that only its user can read is wrong
     */
    public ServerProcess(Settings settings) throws SettingsException {
        this.settings = settings;
        this.name = ProcessName.create();
        this.sources = SourceAllow.parse(settings.sourceAllow());
        System.setProperty("bellwether.process", name);
    }

    /** Its name in logs, locks, runs and meters. */
    public String name() {
        return name;
    }

    /** The port it listens on, once started. */
    public int port() {
        return port;
    }

    /** What it answers, once started: {@code GET /v1/sets/{set}} and so on. */
    List<String> routes() {
        return routes;
    }

    /**
     * Starts everything and returns when the process is ready, or, while the database is away, as soon as it listens.
     *
     * @throws Exception if it cannot start; what had begun is undone
     * @throws InterruptedException if it was told to stop meanwhile; what had begun is undone by the {@link #stop}
     */
    public void start() throws Exception {
        synchronized (starting) {
            starter = Thread.currentThread();
        }
        try {
            startAll();
        } catch (Throwable t) {
            endOfStart();
            stop();
            throw t;
        }
        endOfStart();
    }

    private void endOfStart() {
        synchronized (starting) {
            starter = null;
            if (stopping.get()) {
                // Sent by the stop, and done with.
                Thread.interrupted();
            }
        }
        startOver.countDown();
    }

    /** Starts one part, unless the process was told to stop. */
    private <T extends Service> T begin(T part) throws Exception {
        if (stopping.get()) {
            throw new InterruptedException("told to stop while starting");
        }
        return running.start(part);
    }

    private void startAll() throws Exception {
        Meters meters = new Meters();

        // The database comes first: it is the truth about everything. The clock follows it from the first contact.
        Database database = begin(new Database(settings.database(), name, meters.registry()));
        InstantSource local = Failpoint.clock(InstantSource.offset(InstantSource.system(), settings.clockOffset()));
        DatabaseClock clock = new DatabaseClock(local);
        Periodic migration = migrate(database);
        Failpoint.reach(Failpoint.START_BEGUN, Failpoint.PROCESS);

        // What readers need: heads in memory, segments on disk, tokens.
        CatalogService catalog = new CatalogService(database, new HeadsFile(settings.dataDir()), meters);
        Tokens tokens = new Tokens(catalog, clock, settings.dataDir());
        SegmentStore segments = new SegmentStore(settings.dataDir(), SegmentStore.defaultMaxBytes(settings.dataDir()),
                SegmentSource.of(database), catalog::heads, local);
        begin(catalog);
        begin(new SegmentWarmer(catalog, segments));

        // Who runs a tick, and what a run does. Neither is started yet: a process serves before it works.
        RedissonGate gate = new RedissonGate(settings.redis(), settings.lease(), meters);
        FeedSource feeds = new FeedSource(sources, clock);
        Map<String, JobWork> works = Map.of("refresh", new RefreshWork(database, feeds, meters,
                new IndexFiles(settings.dataDir(), local), catalog::isAsked), "retention",
                new RetentionWork(database));
        TickService ticks = new TickService(database, clock, gate, works, meters, name, settings.lease());
        catalog.onJobs(ticks::nudge);

        begin(gate);
        HttpServer http = new HttpServer(settings.bind(), settings.port(),
                List.of(new ServingRoutes(catalog, segments, meters),
                        new HealthRoutes(Map.of("catalog", catalog::isLoaded, "process", this::isReady),
                                Map.of("database", () -> seen(catalog.seesDatabase()), "redis",
                                        () -> seen(gate.isUp())),
                                meters),
                        new AdminSetRoutes(new SetAdmin(database, sources::objection), new ProcessList(database)),
                        new AdminContentRoutes(new SetRuns(database)),
                        new AdminJobRoutes(new JobQueries(database), new JobControl(database), clock),
                        new AdminTokenRoutes(new TokenAdmin(database, clock)), new AboutRoutes()),
                new Authenticator(settings.adminToken(), tokens::held, tokens::find), meters, name);
        begin(http);
        routes = http.routes();
        port = http.port();
        drain = http::drain;

        // The schedule comes last; it may take a tick at once.
        begin(new ProcessHeartbeat(database, clock, name, port, () -> heads(catalog),
                () -> gate.isUp() ? "redis" : "postgres"));
        begin(ticks);
        begin(migration);
        ready = true;
        if (catalog.isLoaded()) {
            log.info("ready on {}:{} as {}", settings.bind(), port, name);
        } else {
            log.warn("listening on {}:{} as {}, and not ready: the database is away and nothing is held from before",
                    settings.bind(), port, name);
        }
    }

    /** Whether this process may be sent requests: it started, holds heads and is not stopping. */
    private boolean isReady() {
        return ready && !stopping.get();
    }

    /**
     * Migrates now; while the database is away, goes on trying.
     *
     * @return the loop that goes on, to be started with the rest
     */
    private Periodic migrate(Database database) throws SQLException {
        Periodic retry = new Periodic("migration", Duration.ofSeconds(2), () -> {
            if (!migrated) {
                database.migrate();
                JobControl.ensure(database, RETENTION);
                migrated = true;
                log.info("the database is there; its schema is up to date");
            }
            return Duration.ofMinutes(10);
        });
        database.holdUntilMigrated();
        try {
            database.migrate();
            JobControl.ensure(database, RETENTION);
            migrated = true;
        } catch (SQLException e) {
            if (!isAway(e)) {
                throw e;
            }
            log.warn("the database is away ({}); starting all the same", e.getMessage());
        }
        return retry;
    }

    /** Whether the database could not be reached, as opposed to: it refused, which no waiting mends. */
    private static boolean isAway(SQLException e) {
        String state = e.getSQLState();
        // Class 08: connection; 57: the operator intervened; 53: no connection free. The pool's own time-out has no state.
        return e instanceof SQLTransientException
                || state != null && (state.startsWith("08") || state.startsWith("57") || state.startsWith("53"));
    }

    private static String seen(boolean there) {
        return there ? "there" : "away";
    }

    private static Map<String, Long> heads(CatalogService catalog) {
        Map<String, Long> heads = new HashMap<>();
        catalog.heads().byName().forEach((set, state) -> heads.put(set, state.revision()));
        return heads;
    }

    /**
     * Stops: not ready, no new ticks, waiting requests answered, what is under way finished within the grace, the lock
     * given back, the database let go. A start under way is ended first, so that nothing is started behind its back. May
     * come twice and from any thread; the second returns at once.
     */
    public void stop() {
        if (!stopping.compareAndSet(false, true)) {
            return;
        }
        log.info("stopping");
        Failpoint.reach(Failpoint.STOP_BEGUN, Failpoint.PROCESS);
        endStart();
        drain.run();
        running.stop(settings.shutdownGrace());
        log.info("stopped");
    }

    private void endStart() {
        synchronized (starting) {
            if (starter == null) {
                return;
            }
            starter.interrupt();
        }
        try {
            if (!startOver.await(START_ENDS.toMillis(), TimeUnit.MILLISECONDS)) {
                log.warn("the start did not end within {}; stopping what it has started so far", START_ENDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
