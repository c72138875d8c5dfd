package io.bellwether.lease;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import io.bellwether.database.Database;
import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.schedule.CronSchedule;

/** What an operator can do to a job. Every change wakes the loops of all processes. Thread safe. */
public final class JobControl {
    /** How many runs of one job may wait at once. */
    public static final int MAX_QUEUED = 100;

    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final int MAX_TICKS_COUNTED = 100_000;

    private final Database database;

    /** Controls the jobs of this database. */
    public JobControl(Database database) {
        this.database = database;
    }

    /**
     * Declares a job, in the caller's transaction: inserts it or brings it up to date.
     *
     * <p>When the schedule, the zone or {@code enabled} changes, ticks that were due under the old schedule and that
     * nobody ran yet are counted as missed, and the new schedule counts from now on; but ticks of the last
     * {@link io.bellwether.schedule.MisfirePolicy#GRACE} that both schedules have are run. Past {@value #MAX_TICKS_COUNTED} the
     * count ends, and the row's reason says that there were at least so many. A running run goes on.
     *
     * @return the row in {@code job}
     * @throws Fault {@link FaultKind#INVALID_DEFINITION} if the schedule or the zone is none
     */
    public static long define(Connection connection, JobDefinition job) throws SQLException {
        try {
            CronSchedule.written(job.schedule(), job.zone());
        } catch (IllegalArgumentException e) {
            throw new Fault(FaultKind.INVALID_DEFINITION, String.valueOf(e.getMessage()), e);
        }
        long id = JobDefinitions.upsert(connection, job, MAX_TICKS_COUNTED);
        wake(connection);
        return id;
    }

    /**
     * Sees to it that a built-in job is there. One that is there stays as it is, an operator's pause included.
     *
     * @throws SQLException if the database is away
     */
    public static void ensure(Database database, JobDefinition job) throws SQLException {
        database.<Boolean, SQLException>inTransaction("built-in job", LIMIT, connection -> {
            boolean inserted = JobDefinitions.insert(connection, job) != null;
            if (inserted) {
                wake(connection);
            }
            return inserted;
        });
    }

    /**
     * Asks for a run now. It is done by whichever process is first, also while the job is paused or disabled, after the
     * run that may be under way.
     *
     * @param job its name
     * @param idempotencyKey the same key for the same job gives the same run, as long as its row is kept; or null
     * @param request what the work is asked to do, as JSON text, or null for what it does on a tick
     * @param reason why, for people, or null
     * @return the run, queued; or the one that was asked for before under this key, in whatever state
     * @throws Fault {@link FaultKind#NOT_FOUND} if there is no such job, {@link FaultKind#CONFLICT} if something else was
     *         asked for under this key, {@link FaultKind#OVERLOADED} if {@link #MAX_QUEUED} wait already
     * @throws SQLException if the database is away
     */
    public RunView enqueue(String job, @Nullable String idempotencyKey, @Nullable String request,
            @Nullable String reason) throws SQLException {
        return database.<RunView, RuntimeException>inTransaction("enqueue run", LIMIT,
                connection -> enqueue(connection, job, idempotencyKey, request, () -> reason));
    }

    /** Says why a run is asked for, or throws a {@link Fault} if it may not be. */
    @FunctionalInterface
    public interface Reason {
        /**
         * Called under the job's lock, so that what it reads of the job's runs stays so until the run is queued.
         *
         * @return why, for people, or null
         */
        @Nullable
        String give() throws SQLException;
    }

    /**
     * As {@link #enqueue(String, String, String, String)}, in the caller's transaction.
     *
     * @param reason asked for unless the key is known
     */
    public static RunView enqueue(Connection connection, String job, @Nullable String idempotencyKey,
            @Nullable String request, Reason reason) throws SQLException {
        long jobId = lock(connection, job);
        Long known = idempotencyKey == null ? null : byKey(connection, jobId, idempotencyKey, request);
        if (known == null) {
            known = insert(connection, jobId, idempotencyKey, request, reason.give());
        }
        RunView run = JobQueries.run(connection, known);
        wake(connection);
        if (run == null) {
            throw new SQLException("a run that was just queued is gone");
        }
        return run;
    }

    /**
     * Pauses a job until it is resumed, in the caller's transaction, which has locked its row.
     *
     * @param reason why, for people
     */
    public static void hold(Connection connection, long jobId, String reason) throws SQLException {
        try (PreparedStatement update = connection
                .prepareStatement("update job set paused_until = 'infinity', pause_reason = ? where job_id = ?")) {
            update.setString(1, reason);
            update.setLong(2, jobId);
            if (!Rows.one(update.executeUpdate(), "hold of a job")) {
                throw new SQLException("job " + jobId + " vanished under its lock");
            }
        }
        wake(connection);
    }

    /**
     * Pauses a job: ticks that become due are recorded as {@code paused}. A running run goes on.
     *
     * @param job its name
     * @param until by the database's clock; null: until resumed
     * @param reason why, for people, or null
     * @throws Fault {@link FaultKind#NOT_FOUND} if there is no such job
     * @throws SQLException if the database is away
     */
    public void pause(String job, @Nullable Instant until, @Nullable String reason) throws SQLException {
        change(job, "update job set paused_until = ?, pause_reason = ? where name = ?",
                until == null ? Instant.MAX : until, reason);
    }

    /**
     * Ends a pause; does nothing when there is none. Ticks that became due until now stay paused.
     *
     * @throws Fault {@link FaultKind#NOT_FOUND} if there is no such job
     * @throws SQLException if the database is away
     */
    public void resume(String job) throws SQLException {
        // Set to now instead of null, so that a tick of the pause that nobody recorded yet is recorded as paused. Where no
        // pause is under way nothing may be set: it would pause the ticks that are due.
        change(job, """
                update job set paused_until = case when paused_until > clock_timestamp()
                    then coalesce(?, clock_timestamp()) else paused_until end, pause_reason = ?
                where name = ?""", null, null);
    }

    private void change(String job, String sql, @Nullable Instant until, @Nullable String reason) throws SQLException {
        database.<Boolean, RuntimeException>inTransaction("change job", LIMIT, connection -> {
            try (PreparedStatement update = connection.prepareStatement(sql)) {
                Rows.set(update, 1, until);
                update.setString(2, reason);
                update.setString(3, job);
                if (!Rows.one(update.executeUpdate(), "change of job " + job)) {
                    throw JobQueries.noSuchJob(job);
                }
            }
            wake(connection);
            return true;
        });
    }

    private static long lock(Connection connection, String job) throws SQLException {
        try (PreparedStatement query = connection
                .prepareStatement("select job_id from job where name = ? for update")) {
            query.setString(1, job);
            try (ResultSet row = query.executeQuery()) {
                if (!row.next()) {
                    throw JobQueries.noSuchJob(job);
                }
                return row.getLong(1);
            }
        }
    }

    private static @Nullable Long byKey(Connection connection, long jobId, String key, @Nullable String request)
            throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("""
                select run_id, request is not distinct from ?::jsonb, coalesce(request::text, 'a run')
                from run where job_id = ? and idempotency_key = ?""")) {
            query.setString(1, request);
            query.setLong(2, jobId);
            query.setString(3, key);
            try (ResultSet row = query.executeQuery()) {
                if (!row.next()) {
                    return null;
                }
                if (!row.getBoolean(2)) {
                    throw new Fault(FaultKind.CONFLICT,
                            "the Idempotency-Key '" + key + "' asked for something else before: "
                                    + row.getString(3) + ", which is run " + row.getLong(1));
                }
                return row.getLong(1);
            }
        }
    }

    private static long insert(Connection connection, long jobId, @Nullable String key, @Nullable String request,
            @Nullable String reason) throws SQLException {
        try (PreparedStatement count = connection
                .prepareStatement("select count(*) from run where job_id = ? and state = 'queued'")) {
            count.setLong(1, jobId);
            try (ResultSet row = count.executeQuery()) {
                if (row.next() && row.getInt(1) >= MAX_QUEUED) {
                    throw new Fault(FaultKind.OVERLOADED, MAX_QUEUED + " runs of this job wait already");
                }
            }
        }
        // Never a whole second, which may be a tick of the schedule, and never that of another manual run.
        try (PreparedStatement insert = connection.prepareStatement("""
                insert into run (job_id, kind, scheduled_at, attempt, state, idempotency_key, request, reason)
                select ?, 'manual', t, 1, 'queued', ?, ?::jsonb, ?
                from (select coalesce(max(scheduled_at) filter (where kind = 'manual'), '-infinity') as newest
                    from (select kind, scheduled_at from run where job_id = ? order by run_id desc limit 200) r) n,
                    lateral (select greatest(clock_timestamp(), newest + interval '1 microsecond') as now) c,
                    lateral (select case when date_trunc('second', now) = now
                        then now + interval '1 microsecond' else now end as t) d
                returning run_id""")) {
            insert.setLong(1, jobId);
            insert.setString(2, key);
            insert.setString(3, request);
            insert.setString(4, reason);
            insert.setLong(5, jobId);
            try (ResultSet row = insert.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    /** Wakes the loops of all processes when the transaction commits. */
    static void wake(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("select pg_notify('bellwether', 'jobs')");
        }
    }
}
