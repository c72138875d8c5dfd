package io.bellwether.lease;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.bellwether.database.Database;
import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.schedule.CronSchedule;

/** What the jobs are and what their runs came to, for people. Reads the database each time. Thread safe. */
public final class JobQueries {
    /** The most rows that one page of runs has. */
    public static final int MAX_PAGE = 1000;

    private static final Duration LIMIT = Duration.ofSeconds(3);

    /** Its cost does not grow with the number of runs: each lookup is one step on an index. */
    static final String JOBS = """
            select clock_timestamp(), j.name, j.kind, j.schedule, j.zone, j.enabled,
                case when j.paused_until > clock_timestamp() then j.paused_until end, j.pause_reason,
                coalesce(running.process, (select process from run l
                    where l.job_id = j.job_id and l.process is not null order by l.run_id desc limit 1)),
                j.tick_cursor,
                running.run_id, newest.run_id, success.run_id
            from job j
            left join run running on running.job_id = j.job_id and running.state = 'running'
            left join lateral (select run_id from run n where n.job_id = j.job_id
                order by n.run_id desc limit 1) newest on true
            left join lateral (select run_id from run s where s.job_id = j.job_id
                and s.state in ('published', 'unchanged') order by s.run_id desc limit 1) success on true
            where ?::text is null or j.name = ?
            order by j.name""";

    private final Database database;

    /** Queries on this database. */
    public JobQueries(Database database) {
        this.database = database;
    }

    /**
     * All jobs, by name.
     *
     * @throws SQLException if the database is away
     */
    public List<JobView> jobs() throws SQLException {
        return database.<List<JobView>, RuntimeException>inTransaction("list jobs", LIMIT, c -> jobs(c, null));
    }

    /**
     * One job.
     *
     * @throws Fault {@link FaultKind#NOT_FOUND} if there is none of that name
     * @throws SQLException if the database is away
     */
    public JobView job(String job) throws SQLException {
        List<JobView> found = database.<List<JobView>, RuntimeException>inTransaction("read job", LIMIT,
                c -> jobs(c, job));
        if (found.isEmpty()) {
            throw noSuchJob(job);
        }
        return found.getFirst();
    }

    /**
     * The runs of a job, newest first.
     *
     * @param job its name
     * @param limit 1 to {@link #MAX_PAGE}
     * @param before only runs whose id is lower, or null for the newest
     * @throws Fault {@link FaultKind#NOT_FOUND} if there is no such job
     * @throws SQLException if the database is away
     */
    public List<RunView> runs(String job, int limit, @Nullable Long before) throws SQLException {
        if (limit < 1 || limit > MAX_PAGE) {
            throw new Fault(FaultKind.INVALID_REQUEST, "limit must be from 1 to " + MAX_PAGE);
        }
        return database.<List<RunView>, RuntimeException>inTransaction("list runs", LIMIT, connection -> {
            try (PreparedStatement query = connection.prepareStatement("select " + RunView.COLUMNS + """
                    , j.name from job j left join lateral (select * from run x where x.job_id = j.job_id
                        and x.run_id < ? order by x.run_id desc limit ?) r on true
                    where j.name = ? order by r.run_id desc""")) {
                query.setLong(1, before == null ? Long.MAX_VALUE : before);
                query.setInt(2, limit);
                query.setString(3, job);
                List<RunView> runs = new ArrayList<>();
                boolean known = false;
                try (ResultSet row = query.executeQuery()) {
                    while (row.next()) {
                        known = true;
                        if (RunView.number(row, 1) != null) {
                            runs.add(RunView.read(row, 1));
                        }
                    }
                }
                if (!known) {
                    throw noSuchJob(job);
                }
                return runs;
            }
        });
    }

    /**
     * One run.
     *
     * @return empty when there is none of that id
     * @throws SQLException if the database is away
     */
    public Optional<RunView> run(long id) throws SQLException {
        return database.<Optional<RunView>, RuntimeException>inTransaction("read run", LIMIT,
                c -> Optional.ofNullable(run(c, id)));
    }

    /**
     * One run, in the caller's transaction.
     *
     * @throws SQLException if there is none of that id, too
     */
    public static RunView inTransaction(Connection connection, long id) throws SQLException {
        RunView run = run(connection, (Long) id);
        if (run == null) {
            throw new SQLException("run " + id + " is gone");
        }
        return run;
    }

    static @Nullable RunView run(Connection connection, @Nullable Long id) throws SQLException {
        if (id == null) {
            return null;
        }
        try (PreparedStatement query = connection.prepareStatement(
                "select " + RunView.COLUMNS + " from run r join job j using (job_id) where r.run_id = ?")) {
            query.setLong(1, id);
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? RunView.read(row, 1) : null;
            }
        }
    }

    static Fault noSuchJob(String job) {
        return new Fault(FaultKind.NOT_FOUND, "there is no job '" + job + "'");
    }

    private static List<JobView> jobs(Connection connection, @Nullable String name) throws SQLException {
        record Head(Instant now, String[] text, boolean enabled, @Nullable Instant pausedUntil, Instant cursor,
                @Nullable Long running, @Nullable Long newest, @Nullable Long success) {}
        List<Head> heads = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(JOBS)) {
            query.setString(1, name);
            query.setString(2, name);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    heads.add(new Head(Rows.instantAt(row, 1),
                            new String[]{row.getString(2), row.getString(3), row.getString(4), row.getString(5),
                                    row.getString(8), row.getString(9)},
                            row.getBoolean(6), RunView.instant(row, 7), Rows.instantAt(row, 10),
                            RunView.number(row, 11), RunView.number(row, 12), RunView.number(row, 13)));
                }
            }
        }
        Map<Long, RunView> runs = runs(connection, heads.stream()
                .flatMap(head -> Stream.of(head.running(), head.newest(), head.success())).filter(Objects::nonNull)
                .distinct().toArray(Long[]::new));
        List<JobView> views = new ArrayList<>(heads.size());
        for (Head head : heads) {
            String[] text = head.text();
            Instant next = null;
            String problem = null;
            try {
                CronSchedule schedule = CronSchedule.parse(text[2], text[3]);
                next = head.enabled() && !Instant.MAX.equals(head.pausedUntil())
                        ? schedule
                                .next(Stream.of(head.cursor(), head.now(), head.pausedUntil()).filter(Objects::nonNull)
                                        .max(Comparator.naturalOrder()).orElseThrow())
                        : null;
            } catch (IllegalArgumentException e) {
                problem = e.getMessage();
            }
            views.add(new JobView(text[0], text[1], text[2], text[3], head.enabled(), head.pausedUntil(),
                    head.pausedUntil() == null ? null : text[4], text[5],
                    head.running() == null ? null : runs.get(head.running()), next,
                    head.newest() == null ? null : runs.get(head.newest()),
                    head.success() == null ? null : runs.get(head.success()), problem));
        }
        return views;
    }

    private static Map<Long, RunView> runs(Connection connection, Long[] ids) throws SQLException {
        Map<Long, RunView> runs = new HashMap<>();
        try (PreparedStatement query = connection.prepareStatement(
                "select " + RunView.COLUMNS + " from run r join job j using (job_id) where r.run_id = any(?)")) {
            query.setArray(1, connection.createArrayOf("bigint", ids));
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    RunView run = RunView.read(row, 1);
                    runs.put(run.id(), run);
                }
            }
        }
        return runs;
    }
}
