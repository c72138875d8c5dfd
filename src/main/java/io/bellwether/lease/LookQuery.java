package io.bellwether.lease;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.bellwether.schedule.JobSight;

/** The one query behind a look at all jobs. Stateless. */
final class LookQuery {
    private static final String SQL = """
            select j.job_id, j.name, j.kind, j.definition_version, j.schedule, j.zone, j.misfire,
                (extract(epoch from least(j.misfire_window, interval '1000 years')) * 1000)::bigint, j.enabled, j.paused_until, j.tick_cursor,
                r.run_id, r.scheduled_at, r.process, r.claimed_at, r.lease_until, r.handed_over,
                q.run_id, q.scheduled_at,
                n.kind, n.scheduled_at, n.state, n.attempt, n.process, n.finished_at,
            """ + RunRows.IS_MANUAL + """
            , f.scheduled_at, f.attempt, f.tries, f.finished_at
            from job j
            left join run r on r.job_id = j.job_id and r.state = 'running'
            left join lateral (select x.run_id, x.scheduled_at from run x
                where x.job_id = j.job_id and x.state = 'queued' order by x.scheduled_at limit 1) q on true
            left join lateral (select x.* from run x where x.job_id = j.job_id and x.scheduled_at = j.tick_cursor
                order by x.attempt desc limit 1) n on true
            left join lateral (select x.scheduled_at, x.attempt, x.state, x.finished_at, (select count(*) from run y
                    where y.job_id = j.job_id and y.scheduled_at = x.scheduled_at and not y.handed_over)::int as tries
                from (select z.* from run z where z.job_id = j.job_id and z.scheduled_at <= j.tick_cursor
                    order by z.scheduled_at desc, z.attempt desc limit 200) x
                where x.state <> 'overlapped' and not exists (select from run m where m.job_id = j.job_id
                    and m.scheduled_at = x.scheduled_at and m.kind = 'manual')
                order by x.scheduled_at desc, x.attempt desc limit 1) f
                on f.state = 'failed' and n.run_id is not null
            order by j.job_id""";

    private LookQuery() {}

    static List<JobRow> read(Connection connection) throws SQLException {
        List<JobRow> jobs = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(SQL); ResultSet row = query.executeQuery()) {
            while (row.next()) {
                jobs.add(new JobRow(row.getLong(1), row.getString(2), row.getString(3), row.getLong(4),
                        row.getString(5), row.getString(6), row.getString(7), Duration.ofMillis(row.getLong(8)),
                        row.getBoolean(9), RunView.instant(row, 10), Rows.instantAt(row, 11), running(row),
                        RunView.number(row, 18), RunView.instant(row, 19), newest(row), failed(row)));
            }
        }
        return jobs;
    }

    private static JobRow.@Nullable Running running(ResultSet row) throws SQLException {
        Long runId = RunView.number(row, 12);
        return runId == null
                ? null
                : new JobRow.Running(runId, Rows.instantAt(row, 13), row.getString(14), Rows.instantAt(row, 15),
                        Rows.instantAt(row, 16), row.getBoolean(17), row.getBoolean(26));
    }

    private static JobSight.@Nullable Failed failed(ResultSet row) throws SQLException {
        Instant tick = RunView.instant(row, 27);
        return tick == null
                ? null
                : new JobSight.Failed(tick, row.getInt(28), row.getInt(29), Rows.instantAt(row, 30));
    }

    private static JobRow.@Nullable Newest newest(ResultSet row) throws SQLException {
        Instant scheduledAt = RunView.instant(row, 21);
        return scheduledAt == null
                ? null
                : new JobRow.Newest(row.getString(20), scheduledAt, row.getString(22), row.getInt(23),
                        row.getString(24), RunView.instant(row, 25));
    }
}
