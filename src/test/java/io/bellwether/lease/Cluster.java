package io.bellwether.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import io.bellwether.database.Database;
import io.bellwether.database.DatabaseClock;
import io.bellwether.settings.Settings;
import io.bellwether.telemetry.Meters;
import io.bellwether.testing.Eventually;
import io.bellwether.testing.TestPostgres;

/** Several timers in one JVM, over one real database and one fake Redis; each has its own pool, clock and meters. */
final class Cluster implements AutoCloseable {
    static final Duration SOON = Duration.ofSeconds(20);

    /**
     * One process.
     *
     * @param name its name
     * @param ticks its timer, running
     * @param meters what it measured
     * @param database its pool
     */
    record Member(String name, TickService ticks, Meters meters, Database database) {}

    private final Settings.Database settings = TestPostgres.freshDatabase();
    final Database database = TestPostgres.open(settings);
    final FakeRedis redis = new FakeRedis();
    final JobControl control = new JobControl(database);
    final JobQueries queries = new JobQueries(database);
    private final List<Member> processes = new ArrayList<>();
    private final List<Member> stopped = new ArrayList<>();
    private Duration lease = Duration.ofSeconds(30);

    Cluster() throws SQLException {
        execute("create table effect (job text, tick timestamptz, attempt int, process text)");
    }

    Cluster lease(Duration lease) {
        this.lease = lease;
        return this;
    }

    Member start(String name, JobWork work) {
        return start(name, work, Duration.ZERO);
    }

    Member start(String name, JobWork work, Duration skew) {
        return start(name, work, skew, ledger -> ledger);
    }

    /** A process whose ledger is wrapped, so that a test can hold it up. */
    Member start(String name, JobWork work, Duration skew, UnaryOperator<Ledger> wrap) {
        Database own = TestPostgres.open(settings);
        Meters meters = new Meters();
        TickService ticks = new TickService(own,
                new DatabaseClock(InstantSource.offset(InstantSource.system(), skew)), redis.gate(),
                Map.of("refresh", work), meters, name, lease, wrap.apply(new JobLedger(own)));
        Member process = new Member(name, ticks, meters, own);
        processes.add(process);
        ticks.start();
        return process;
    }

    /**
     * A process that takes the database's clock to be that much ahead, so that its timer fires too early.
     *
     * @param early gets how many of its claims the ledger found to be
     */
    Member startEarly(String name, JobWork work, Duration ahead, AtomicInteger early) throws SQLException {
        execute("create schema early");
        execute("create function early.clock_timestamp() returns timestamptz language sql volatile as $$ select"
                + " pg_catalog.clock_timestamp() + make_interval(secs => " + ahead.toMillis() / 1000.0 + ") $$");
        Database fast = TestPostgres.open(new Settings.Database(
                settings.url() + "?options=-c%20search_path=early,pg_catalog,public", settings.user(),
                settings.password(), settings.poolSize()));
        Meters meters = new Meters();
        TickService ticks = new TickService(fast, new DatabaseClock(InstantSource.system()), redis.gate(),
                Map.of("refresh", work), meters, name, lease, counting(new JobLedger(database), early));
        Member process = new Member(name, ticks, meters, fast);
        processes.add(process);
        ticks.start();
        return process;
    }

    private static Ledger counting(Ledger ledger, AtomicInteger early) {
        return (Ledger) Proxy.newProxyInstance(Ledger.class.getClassLoader(), new Class<?>[]{Ledger.class},
                (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(ledger, arguments);
                        if (result instanceof ClaimOutcome.NotDue) {
                            early.incrementAndGet();
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    void stop(Member process, Duration grace) {
        process.ticks().stop(grace);
        processes.remove(process);
        stopped.add(process);
    }

    /** A work that publishes at once: one row in {@code effect}, in the fenced transaction. */
    JobWork publishing() {
        return lease -> publish(lease);
    }

    RunResult publish(RunLease run) throws Exception {
        return database.<RunResult, LeaseLostException>inTransaction("publish", Duration.ofSeconds(5), connection -> {
            run.fence(connection);
            try (PreparedStatement insert = connection.prepareStatement("insert into effect values (?, ?, ?, ?)")) {
                insert.setString(1, run.job());
                Rows.set(insert, 2, run.scheduledAt());
                insert.setInt(3, run.attempt());
                insert.setString(4, run.process());
                insert.executeUpdate();
            }
            RunResult result = RunResult.published(run.fence(), 1, 0, 0);
            run.finish(connection, result);
            return result;
        });
    }

    long define(String name, String schedule) throws SQLException {
        return define(name, schedule, Duration.ofMinutes(10));
    }

    long define(String name, String schedule, Duration maxRuntime) throws SQLException {
        return database.<Long, RuntimeException>inTransaction("define", Duration.ofSeconds(5),
                connection -> JobControl.define(connection,
                        new JobDefinition(name, "refresh", null, schedule, "UTC", "coalesce", Duration.ofDays(1),
                                maxRuntime, true)));
    }

    /** All rows of a job, oldest first. */
    List<RunView> runs(String job) throws SQLException {
        return queries.runs(job, JobQueries.MAX_PAGE, null).reversed();
    }

    /** Waits until a row of the job is as described, and returns the oldest such row. */
    RunView await(String what, String job, Predicate<RunView> wanted) throws Exception {
        return await(what, job, 1, wanted).getFirst();
    }

    /** Waits until so many rows of the job are as described. */
    List<RunView> await(String what, String job, int count, Predicate<RunView> wanted) throws Exception {
        List<List<RunView>> found = new ArrayList<>();
        try {
            Eventually.eventually(what, SOON, () -> {
                found.clear();
                found.add(runs(job).stream().filter(wanted).toList());
                return found.getFirst().size() >= count;
            });
        } catch (AssertionError e) {
            throw new AssertionError(what + "; the rows are\n"
                    + String.join("\n", runs(job).stream().map(RunView::toString).toList()), e);
        }
        return found.getFirst();
    }

    /** How many effects the job had, by tick; more than one for any tick is what must never be. */
    Map<Instant, Integer> effects(String job) throws SQLException {
        return database.<Map<Instant, Integer>, RuntimeException>inTransaction("effects", Duration.ofSeconds(5), c -> {
            Map<Instant, Integer> effects = new java.util.TreeMap<>();
            try (PreparedStatement query = c
                    .prepareStatement("select tick, count(*) from effect where job = ? group by tick")) {
                query.setString(1, job);
                try (ResultSet row = query.executeQuery()) {
                    while (row.next()) {
                        effects.put(Rows.instantAt(row, 1), row.getInt(2));
                    }
                }
            }
            return effects;
        });
    }

    /** Cuts everybody off this database and lets nobody in, or lets them in again. */
    void databaseAway(boolean away) {
        String name = settings.url().substring(settings.url().lastIndexOf('/') + 1);
        TestPostgres.execute("postgres", "alter database " + name + " allow_connections " + !away);
        if (away) {
            TestPostgres.execute("postgres",
                    "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '"
                            + name + "'");
        }
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = database.dedicatedConnection("test");
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** From the first to the last first attempt there is one for each tick, or it is counted. */
    void assertEveryTickOnce(String job, int period) throws Exception {
        Set<Instant> seen = new HashSet<>();
        for (RunView run : runs(job)) {
            if (run.attempt() == 1 && run.kind().equals("cron")) {
                for (int i = 0; i < run.ticks(); i++) {
                    assertThat(seen.add(run.scheduledAt().minusSeconds((long) i * period))).as("%s twice", run)
                            .isTrue();
                }
            }
            if (run.claimedAt() != null) {
                assertThat(run.claimedAt()).as("%s is early", run).isAfterOrEqualTo(run.scheduledAt());
            }
        }
        Instant first = seen.stream().min(Instant::compareTo).orElseThrow();
        Instant last = seen.stream().max(Instant::compareTo).orElseThrow();
        assertThat(seen).hasSize((int) Duration.between(first, last).toSeconds() / period + 1);
        assertThat(effects(job).values()).allMatch(effects -> effects == 1);
    }

    @Override
    public void close() {
        processes.forEach(process -> process.ticks().stop(Duration.ZERO));
        processes.addAll(stopped);
        processes.forEach(process -> {
            process.database().stop(Duration.ZERO);
            process.meters().close();
        });
        database.stop(Duration.ZERO);
    }
}
