package io.bellwether.admin;

import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.policy.SetDefinition;
import io.bellwether.policy.SetDefinitionJson;

/**
 * The rows of a set and its job, inside a transaction. Not thread safe.
 *
 * <p>Locks are taken in the order of a publish: job, set, counter; and never stronger than {@code for no key update}, so
 * that they do not wait for the foreign-key locks that a long load holds on the set.
 */
final class SetRows {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String COLUMNS = "select name, definition, revision, created_at from policy_set ";

    /** A set whose rows are locked for a change. */
    record Locked(long setId, long jobId, String name, ObjectNode definition) {}

    private final Connection connection;

    SetRows(Connection connection) {
        this.connection = connection;
    }

    /** Locks job and set, or returns null when there is none of that name. */
    @Nullable
    Locked lock(String name) throws SQLException {
        // Two statements: the second sees what was committed while the first waited.
        try (PreparedStatement job = connection.prepareStatement("""
                select job_id from job where set_id = (select set_id from policy_set where name = ?)
                for no key update""");
                PreparedStatement set = connection.prepareStatement(
                        "select set_id, definition from policy_set where name = ? for no key update")) {
            job.setString(1, name);
            try (ResultSet jobRow = job.executeQuery()) {
                if (!jobRow.next()) {
                    return null;
                }
                set.setString(1, name);
                try (ResultSet row = set.executeQuery()) {
                    return row.next()
                            ? new Locked(row.getLong(1), jobRow.getLong(1), name, object(row.getString(2)))
                            : null;
                }
            }
        }
    }

    /**
     * Inserts a set and its job.
     *
     * @return its id, or null when the name was taken meanwhile
     * @throws Fault {@link FaultKind#CONFLICT} if a job without a set bears the name
     */
    @Nullable
    Long insert(String name, SetDefinition definition) throws SQLException {
        long setId;
        try (PreparedStatement insert = connection.prepareStatement("""
                insert into policy_set (name, definition, version, revision)
                select n.name, ?::jsonb, 0, coalesce(f.revision, 0)
                  from (select ?::text as name) n left join former_set f using (name)
                on conflict (name) do nothing returning set_id""")) {
            insert.setString(1, text(definition));
            insert.setString(2, name);
            try (ResultSet row = insert.executeQuery()) {
                if (!row.next()) {
                    return null;
                }
                setId = row.getLong(1);
            }
        }
        try (PreparedStatement insert = connection.prepareStatement("""
                insert into job (name, kind, set_id, schedule, zone, misfire, max_runtime, enabled)
                values (?, 'refresh', ?, ?, ?, ?, ?::interval, ?) on conflict (name) do nothing""")) {
            insert.setString(1, name);
            insert.setLong(2, setId);
            schedule(insert, 3, definition);
            if (insert.executeUpdate() != 1) {
                throw new Fault(FaultKind.CONFLICT,
                        "'" + name + "' is the name of a built-in job; a set cannot bear it");
            }
        }
        return setId;
    }

    /**
     * Replaces the definition. The job gets a new version only when what it fires by changed, and forgets ticks of the
     * past when they were not its own (another schedule) or not wanted (it was disabled).
     *
     * @param before what is stored, or null if that is nothing this version can read
     */
    void update(Locked locked, @Nullable SetDefinition before, SetDefinition after) throws SQLException {
        try (PreparedStatement update = connection
                .prepareStatement("update policy_set set definition = ?::jsonb where set_id = ?")) {
            update.setString(1, text(after));
            update.setLong(2, locked.setId());
            one(update.executeUpdate(), "set", locked);
        }
        boolean otherTicks = before == null || !before.schedule().equals(after.schedule())
                || !before.zone().equals(after.zone());
        boolean otherJob = before == null || otherTicks || before.misfire() != after.misfire()
                || before.enabled() != after.enabled() || !before.maxRuntime().equals(after.maxRuntime());
        boolean reEnabled = before != null && after.enabled() && !before.enabled();
        if (!otherJob) {
            return;
        }
        try (PreparedStatement update = connection.prepareStatement("""
                update job set schedule = ?, zone = ?, misfire = ?, max_runtime = ?::interval, enabled = ?,
                       definition_version = definition_version + 1,
                       tick_cursor = case when ? then greatest(tick_cursor, clock_timestamp()) else tick_cursor end
                 where job_id = ?""")) {
            schedule(update, 1, after);
            update.setBoolean(6, otherTicks || reEnabled);
            update.setLong(7, locked.jobId());
            one(update.executeUpdate(), "job", locked);
        }
    }

    /**
     * Deletes a set and all that hangs on it.
     *
     * @return whether there was one of that name
     */
    boolean delete(String name) throws SQLException {
        endWorkingBackend(name);
        try (PreparedStatement delete = connection.prepareStatement("""
                with gone as (delete from policy_set where name = ? returning name, revision)
                insert into former_set as f (name, revision) select name, revision from gone
                on conflict (name) do update set revision = greatest(f.revision, excluded.revision)""")) {
            delete.setString(1, name);
            if (delete.executeUpdate() == 0) {
                return false;
            }
        }
        try (PreparedStatement raise = connection.prepareStatement("""
                with told as (select pg_notify('bellwether', 'jobs'), pg_notify('bellwether', ?))
                update instance set heads_version = heads_version + (select count(*) from told)""")) {
            raise.setString(1, name);
            raise.executeUpdate();
        }
        return true;
    }

    /** The connection that publishes for the set would keep the delete waiting for as long as a load takes. */
    private void endWorkingBackend(String name) throws SQLException {
        try (PreparedStatement end = connection.prepareStatement("""
                select pg_terminate_backend(a.pid)
                  from policy_set s join job j using (set_id) join run r using (job_id)
                  join pg_stat_activity a on a.pid = r.backend_pid and a.backend_start = r.backend_start
                 where s.name = ? and r.state = 'running'""")) {
            end.setString(1, name);
            end.executeQuery().close();
        }
    }

    /** Tells readers and schedulers; the last statement of a change, as the counter's row is everybody's. */
    void raiseVersion(long setId, String name) throws SQLException {
        try (PreparedStatement raise = connection.prepareStatement("""
                with told as (select pg_notify('bellwether', 'jobs'), pg_notify('bellwether', ?)),
                     raised as (update instance set heads_version = heads_version + (select count(*) from told)
                                returning heads_version)
                update policy_set set version = (select heads_version from raised) where set_id = ?""")) {
            raise.setString(1, name);
            raise.setLong(2, setId);
            raise.executeUpdate();
        }
    }

    StoredSet get(long setId) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(COLUMNS + "where set_id = ?")) {
            query.setLong(1, setId);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return stored(row);
            }
        }
    }

    Optional<StoredSet> find(String name) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(COLUMNS + "where name = ?")) {
            query.setString(1, name);
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? Optional.of(stored(row)) : Optional.empty();
            }
        }
    }

    List<StoredSet> all() throws SQLException {
        List<StoredSet> all = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(COLUMNS + "order by name collate \"C\"");
                ResultSet row = query.executeQuery()) {
            while (row.next()) {
                all.add(stored(row));
            }
        }
        return all;
    }

    /** The definition with its secrets, or nothing when there is no such set. */
    Optional<ObjectNode> definition(String name) throws SQLException {
        try (PreparedStatement query = connection
                .prepareStatement("select definition from policy_set where name = ?")) {
            query.setString(1, name);
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? Optional.of(object(row.getString(1))) : Optional.empty();
            }
        }
    }

    private static StoredSet stored(ResultSet row) throws SQLException {
        return new StoredSet(row.getString(1), SecretHeaders.masked(object(row.getString(2))), row.getLong(3),
                row.getObject(4, OffsetDateTime.class).toInstant());
    }

    private static void schedule(PreparedStatement statement, int from, SetDefinition definition) throws SQLException {
        statement.setString(from, definition.schedule());
        statement.setString(from + 1, definition.zone());
        statement.setString(from + 2, SetDefinitionJson.text(definition.misfire()));
        statement.setString(from + 3, definition.maxRuntime().toString());
        statement.setBoolean(from + 4, definition.enabled());
    }

    private static void one(int updated, String what, Locked locked) {
        if (updated != 1) {
            throw new IllegalStateException(updated + " rows of the " + what + " " + locked.name() + " were updated");
        }
    }

    private static String text(SetDefinition definition) {
        return SetDefinitionJson.write(definition, true).toString();
    }

    private static ObjectNode object(String json) {
        try {
            return JSON.readTree(json) instanceof ObjectNode object ? object : JSON.createObjectNode();
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }
}
