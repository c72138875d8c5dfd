package io.bellwether.lease;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.bellwether.schedule.CronSchedule;
import io.bellwether.schedule.MisfirePolicy;

/** Writes job rows such that no tick of the old definition is lost without a row. Stateless. */
final class JobDefinitions {
    private record Old(long id, String schedule, String zone, boolean enabled, Instant cursor, Instant now) {}

    private JobDefinitions() {}

    static long upsert(Connection connection, JobDefinition job, int maxTicks) throws SQLException {
        Old old = lock(connection, job.name());
        if (old == null) {
            Long inserted = insert(connection, job);
            if (inserted != null) {
                return inserted;
            }
            old = lock(connection, job.name());
            if (old == null) {
                throw new SQLException("job " + job.name() + " was inserted and deleted meanwhile");
            }
        }
        boolean retimed = !old.schedule().equals(job.schedule()) || !old.zone().equals(job.zone())
                || old.enabled() != job.enabled();
        Instant cursor = retimed && old.enabled() ? countMissed(connection, job, old, maxTicks) : old.now();
        update(connection, job, old, retimed, cursor);
        return old.id();
    }

    private static @Nullable Old lock(Connection connection, String name) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("""
                select job_id, schedule, zone, enabled, tick_cursor, clock_timestamp() from job where name = ?
                for update""")) {
            query.setString(1, name);
            try (ResultSet row = query.executeQuery()) {
                return row.next()
                        ? new Old(row.getLong(1), row.getString(2), row.getString(3), row.getBoolean(4),
                                Rows.instantAt(row, 5), Rows.instantAt(row, 6))
                        : null;
            }
        }
    }

    /**
     * Counts the ticks of the old schedule that nobody ran, but for those that just became due and are ticks of the new one
     * too: they are run as if nothing had changed.
     *
     * @return up to where all ticks have their row
     */
    private static Instant countMissed(Connection connection, JobDefinition job, Old old, int maxTicks)
            throws SQLException {
        List<Instant> due;
        try {
            due = CronSchedule.parse(old.schedule(), old.zone()).ticksBetween(old.cursor(), old.now(), maxTicks);
        } catch (IllegalArgumentException e) {
            return old.now(); // A definition that nobody can read has no ticks.
        }
        boolean all = due.size() < maxTicks;
        int kept = all && job.enabled() ? kept(job, old, due) : 0;
        List<Instant> missed = due.subList(0, due.size() - kept);
        if (!missed.isEmpty()) {
            TickRows.insert(connection, old.id(), "missed", missed.getFirst(), missed.getLast(), missed.size(),
                    all
                            ? "due when the definition was changed"
                            : "due when the definition was changed; at least so many, the count ended there");
        }
        return kept == 0 ? old.now() : before(due.get(due.size() - kept));
    }

    /** How many of the last due ticks are within the grace, and the only ones of the new schedule since the first of them. */
    private static int kept(JobDefinition job, Old old, List<Instant> due) {
        CronSchedule next = CronSchedule.parse(job.schedule(), job.zone());
        Instant fresh = old.now().minus(MisfirePolicy.GRACE);
        for (int first = 0; first < due.size(); first++) {
            List<Instant> rest = due.subList(first, due.size());
            if (!rest.getFirst().isBefore(fresh)
                    && next.ticksBetween(before(rest.getFirst()), old.now(), rest.size() + 1).equals(rest)) {
                return rest.size();
            }
        }
        return 0;
    }

    private static Instant before(Instant tick) {
        return tick.minusMillis(1);
    }

    /** Inserts the job; null when its name is taken. */
    static @Nullable Long insert(Connection connection, JobDefinition job) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("""
                insert into job (name, kind, set_id, schedule, zone, misfire, misfire_window, max_runtime, enabled)
                values (?, ?, ?, ?, ?, ?, make_interval(secs => ?), make_interval(secs => ?), ?)
                on conflict do nothing returning job_id""")) {
            insert.setString(1, job.name());
            insert.setString(2, job.kind());
            insert.setObject(3, job.setId(), java.sql.Types.BIGINT);
            insert.setString(4, job.schedule());
            insert.setString(5, job.zone());
            insert.setString(6, job.misfire());
            insert.setDouble(7, job.misfireWindow().toMillis() / 1000.0);
            insert.setDouble(8, job.maxRuntime().toMillis() / 1000.0);
            insert.setBoolean(9, job.enabled());
            try (ResultSet row = insert.executeQuery()) {
                return row.next() ? row.getLong(1) : null;
            }
        }
    }

    /** The cursor moves to where the count ended, not to a later instant: a tick between the two would be in no row. */
    private static void update(Connection connection, JobDefinition job, Old old, boolean retimed, Instant cursor)
            throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("""
                update job set kind = ?, set_id = ?, schedule = ?, zone = ?, misfire = ?,
                    misfire_window = make_interval(secs => ?), max_runtime = make_interval(secs => ?), enabled = ?,
                    definition_version = definition_version + 1,
                    tick_cursor = case when ? then greatest(tick_cursor, ?) else tick_cursor end
                where job_id = ?""")) {
            update.setString(1, job.kind());
            update.setObject(2, job.setId(), java.sql.Types.BIGINT);
            update.setString(3, job.schedule());
            update.setString(4, job.zone());
            update.setString(5, job.misfire());
            update.setDouble(6, job.misfireWindow().toMillis() / 1000.0);
            update.setDouble(7, job.maxRuntime().toMillis() / 1000.0);
            update.setBoolean(8, job.enabled());
            update.setBoolean(9, retimed);
            Rows.set(update, 10, cursor);
            update.setLong(11, old.id());
            if (!Rows.one(update.executeUpdate(), "change of job " + job.name())) {
                throw new SQLException("job " + job.name() + " vanished under its lock");
            }
        }
    }
}
