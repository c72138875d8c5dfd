package io.bellwether.endtoend;

import static io.bellwether.endtoend.FaultCluster.PROCESSES;
import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.bellwether.feed.FeedShape;

/** Many jobs at once, one of which may be broken. */
class ManyJobsIT {
    private static final int JOBS = 200;
    private static final int POOL = 12;
    /** A third of the pool: each run under way has a connection of its own for what it stages. */
    private static final int RUNS = POOL / 3;
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final Duration AHEAD = Duration.ofSeconds(4);
    private static final Duration STARVED = Duration.ofSeconds(60);

    @SuppressWarnings("NullAway.Init")
    private FaultCluster cluster;
    @SuppressWarnings("NullAway.Init")
    private Api api;

    @BeforeEach
    void cluster() throws Exception {
        cluster = FaultCluster.get();
        api = cluster.api();
    }

    @Test
    void jobs_twoHundredInTheSameSecond_allRunOnceSpreadOverTheProcesses() throws Exception {
        List<String> names = IntStream.range(0, JOBS).mapToObj(i -> "many-" + i).toList();
        int postgresTold = cluster.postgresLog().length();
        int[] told = new int[PROCESSES + 1];
        try (TestUpstream upstream = new TestUpstream(new FeedShape(20, 11, 0.1, 0));
                Connection connection = cluster.connect()) {
            api.put(names.getFirst(), Api.definition(upstream.url(), "0 0 0 1 1 *", false));
            copyTheFirst(connection);
            for (int number = 1; number <= PROCESSES; number++) {
                told[number] = cluster.log(number).length();
            }
            Instant tick = sameSecond(connection);
            Map<String, Integer> most = new TreeMap<>();
            eventually("all have run", LIMIT, () -> {
                count(connection).forEach((who, now) -> most.merge(who, now, Math::max));
                return finished(connection, tick) == JOBS;
            });

            Map<String, Integer> led = new HashMap<>();
            Set<String> takenOver = new HashSet<>();
            for (String name : names) {
                List<JsonNode> attempts = api.runs(name).reversed();
                JsonNode last = attempts.getLast();
                assertThat(attempts).as(name)
                        .allMatch(run -> run.path("scheduledAt").textValue().equals(tick.toString()));
                assertThat(attempts.stream().filter(run -> run.path("state").textValue().equals("published")))
                        .as("published of %s", attempts).containsExactly(last);
                assertThat(Instant.parse(attempts.getFirst().path("claimedAt").textValue())).as("%s", attempts)
                        .isBetween(tick, tick.plus(STARVED));
                if (attempts.size() > 1) {
                    takenOver.add(name);
                }
                led.merge(last.path("process").textValue(), 1, Integer::sum);
            }
            // On a machine that is far too busy a heartbeat may come too late for this short lease.
            assertThat(takenOver).as("taken over").hasSizeLessThanOrEqualTo(JOBS / 20);
            assertThat(led).as("jobs led by each process").hasSize(PROCESSES)
                    .allSatisfy((process, jobs) -> assertThat(jobs).isGreaterThanOrEqualTo(JOBS / PROCESSES / 5));
            for (Map.Entry<String, Integer> connections : most.entrySet()) {
                int limit = switch (connections.getKey()) {
                    case "bellwether-refresh" -> PROCESSES * RUNS;
                    case "bellwether-look", "bellwether-listen" -> PROCESSES;
                    default -> POOL;
                };
                assertThat(connections.getValue()).as("connections of %s", connections.getKey())
                        .isLessThanOrEqualTo(limit);
            }
            assertLosersAreQuiet(tick, told, takenOver);
            assertThat(cluster.postgresLog().substring(postgresTold).lines()
                    .filter(line -> line.contains("ERROR:") || line.contains("FATAL:"))).as("PostgreSQL's log")
                    .hasSizeLessThanOrEqualTo(takenOver.size());
        } finally {
            deleteAll();
        }
    }

    /** For each job and each process one line says who led or that it was left to another, or none does. */
    private void assertLosersAreQuiet(Instant tick, int[] told, Set<String> takenOver) throws Exception {
        for (int number = 1; number <= PROCESSES; number++) {
            Set<String> skipped = new HashSet<>();
            List<String> lines = cluster.log(number).substring(told[number]).lines()
                    .filter(line -> line.contains("tick=" + tick)).toList();
            assertThat(lines).isNotEmpty();
            for (String line : lines) {
                if (takenOver.stream().anyMatch(job -> line.contains("job=" + job + " "))) {
                    continue;
                }
                assertThat(line).doesNotContain("WARN").doesNotContain("ERROR");
                if (line.contains("not leader, skipped")) {
                    String job = line.substring(line.indexOf("job="), line.indexOf(" tick="));
                    assertThat(skipped.add(job)).as("said twice: %s", line).isTrue();
                    assertThat(lines.stream().filter(other -> other.contains(job + " "))).as(job).hasSize(1);
                } else {
                    assertThat(line).containsPattern("started attempt=1 kind=cron gate=\\w+ fence=\\d+ lag=\\d+ms"
                            + "|published revision=1 ");
                }
            }
        }
    }

    /** Sets like the first; declaring them one by one takes longer than all that is tested. */
    private static void copyTheFirst(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("insert into policy_set (name, definition, version) select 'many-' || i, s.definition,"
                    + " s.version from policy_set s, generate_series(1, " + (JOBS - 1)
                    + ") i where s.name = 'many-0'");
            statement.execute("""
                    insert into job (name, kind, set_id, schedule, zone, misfire, max_runtime, enabled)
                    select s.name, j.kind, s.set_id, j.schedule, j.zone, j.misfire, j.max_runtime, j.enabled
                    from policy_set s, job j where s.name like 'many-%' and s.name <> j.name and j.name = 'many-0'""");
            statement.execute("""
                    with raised as (update instance set heads_version = heads_version + 1 returning heads_version)
                    update policy_set set version = (select heads_version from raised) where name like 'many-%'""");
        }
    }

    private void deleteAll() throws SQLException {
        change("delete from policy_set where name like 'many-%'");
        change("update instance set heads_version = heads_version + 1");
    }

    /** Gives all of them one and the same tick, some seconds ahead; the next one is a year away. */
    private static Instant sameSecond(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            Instant now;
            try (ResultSet row = statement.executeQuery("select clock_timestamp()")) {
                row.next();
                now = row.getObject(1, java.time.OffsetDateTime.class).toInstant();
            }
            Instant tick = now.plus(AHEAD).truncatedTo(ChronoUnit.SECONDS);
            LocalDateTime at = LocalDateTime.ofInstant(tick, ZoneOffset.UTC);
            String schedule = at.getSecond() + " " + at.getMinute() + " " + at.getHour() + " " + at.getDayOfMonth()
                    + " " + at.getMonthValue() + " *";
            statement.execute("update job set schedule = '" + schedule
                    + "', enabled = true, tick_cursor = clock_timestamp(), definition_version = definition_version + 1"
                    + " where name like 'many-%'");
            statement.execute("select pg_notify('bellwether', 'jobs')");
            return tick;
        }
    }

    private static int finished(Connection connection, Instant tick) throws SQLException {
        return number(connection,
                "select count(distinct job_id) from run where scheduled_at = ? and state = 'published'",
                tick);
    }

    private static int number(Connection connection, String sql, Instant tick) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setObject(1, tick.atOffset(ZoneOffset.UTC));
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    /** The connections of the processes, by what they say they are for. */
    private static Map<String, Integer> count(Connection connection) throws SQLException {
        Map<String, Integer> count = new TreeMap<>();
        try (Statement statement = connection.createStatement(); ResultSet row = statement.executeQuery("""
                select application_name, count(*) from pg_stat_activity
                where datname = current_database() and pid <> pg_backend_pid() group by 1""")) {
            while (row.next()) {
                count.put(row.getString(1), row.getInt(2));
            }
        }
        return count;
    }

    @Test
    void definition_badInTheTable_takesOnlyThatJobOut() throws Exception {
        Duration period = Duration.ofSeconds(1);
        try (TestedSet bad = new TestedSet(cluster, "definition-bad", period);
                TestedSet good = new TestedSet(cluster, "definition-good", period)) {
            bad.enable();
            bad.awaitPublished(1);
            change("update job set schedule = 'whenever', definition_version = definition_version + 1"
                    + " where name = 'definition-bad'");
            good.enable();
            good.awaitPublished(3);
            JsonNode job = api.json("/v1/admin/jobs/definition-bad");
            assertThat(job.path("problem").textValue()).contains("whenever");
            assertThat(job.path("nextTick").isNull()).isTrue();
            assertThat(api.json("/v1/admin/jobs/definition-good").path("problem").isNull()).isTrue();
            for (int number = 1; number <= PROCESSES; number++) {
                int n = number;
                eventually("process " + number + " says so", LIMIT, () -> complaints(n) >= 1);
            }
            long before = bad.revision();
            good.awaitPublished(2);
            for (int number = 1; number <= PROCESSES; number++) {
                assertThat(complaints(number)).as("process %d says it once", number).isEqualTo(1);
            }
            assertThat(bad.revision()).isEqualTo(before);
            change("update job set schedule = '* * * * * *', definition_version = definition_version + 1,"
                    + " tick_cursor = clock_timestamp() where name = 'definition-bad'");
            bad.awaitPublished(1);
            good.assertSound();
        }
    }

    private long complaints(int number) throws Exception {
        return cluster.log(number).lines().filter(line -> line.contains("job=definition-bad is left out: its schedule"
                + " 'whenever'")).count();
    }

    private void change(String sql) throws SQLException {
        try (Connection connection = cluster.connect(); Statement statement = connection.createStatement()) {
            statement.execute(sql);
            statement.execute("select pg_notify('bellwether', 'jobs')");
        }
    }
}
