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
import io.bellwether.lease.JobControl;
import io.bellwether.lease.JobDefinition;
import io.bellwether.policy.SetDefinition;
import io.bellwether.policy.SetDefinitionJson;

/**
 * The rows of a set and its job, inside a transaction. Not thread safe.
 *
 * <p>Locks are taken in the order of a publish: job, set, counter; the set's no stronger than {@code for no key update}, so
 * that it does not wait for the foreign-key locks that a long load holds on it.
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

    /**
     * Waits for the other operators' changes of the set of that name, which need not exist. A deletion takes the set's row
     * before the job's, all others the other way round.
     */
    void takeTurn(String name) throws SQLException {
        try (PreparedStatement lock = connection
                .prepareStatement("select pg_advisory_xact_lock(hashtextextended('bellwether set ' || ?, 0))")) {
            lock.setString(1, name);
            lock.executeQuery().close();
        }
    }

    /** Locks job and set, or returns null when there is none of that name. */
    @Nullable
    Locked lock(String name) throws SQLException {
        // Two statements: the second sees what was committed while the first waited.
        try (PreparedStatement job = connection.prepareStatement("""
                select job_id from job where set_id = (select set_id from policy_set where name = ?)
                for update""");
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
     * @return its id
     * @throws Fault {@link FaultKind#CONFLICT} if a job without a set bears the name
     */
    long insert(String name, SetDefinition definition) throws SQLException {
        refuseNameOfBuiltInJob(name);
        long setId;
        try (PreparedStatement insert = connection.prepareStatement("""
                insert into policy_set (name, definition, version, revision)
                select n.name, ?::jsonb, 0, coalesce(f.revision, 0)
                  from (select ?::text as name) n left join former_set f using (name)
                returning set_id""")) {
            insert.setString(1, text(definition));
            insert.setString(2, name);
            try (ResultSet row = insert.executeQuery()) {
                row.next();
                setId = row.getLong(1);
            }
        }
        JobControl.define(connection, job(setId, name, definition));
        return setId;
    }

    private void refuseNameOfBuiltInJob(String name) throws SQLException {
        try (PreparedStatement query = connection
                .prepareStatement("select 1 from job where name = ? and set_id is null")) {
            query.setString(1, name);
            try (ResultSet row = query.executeQuery()) {
                if (row.next()) {
                    throw new Fault(FaultKind.CONFLICT,
                            "'" + name + "' is the name of a built-in job; a set cannot bear it");
                }
            }
        }
    }

    /**
     * Replaces the definition. The job is touched only when what it fires by changed.
     *
     * @param before what is stored, or null if that is nothing this version can read
     */
    void update(Locked locked, @Nullable SetDefinition before, SetDefinition after) throws SQLException {
        try (PreparedStatement update = connection
                .prepareStatement("update policy_set set definition = ?::jsonb where set_id = ?")) {
            update.setString(1, text(after));
            update.setLong(2, locked.setId());
            int updated = update.executeUpdate();
            if (updated != 1) {
                throw new IllegalStateException(updated + " rows of set " + locked.name() + " were updated");
            }
        }
        JobDefinition job = job(locked.setId(), locked.name(), after);
        if (before == null || !job.equals(job(locked.setId(), locked.name(), before))) {
            JobControl.define(connection, job);
        }
    }

    /**
     * Deletes a set and all that hangs on it.
     *
     * @return whether there was one of that name
     */
    boolean delete(String name) throws SQLException {
        takeTurn(name);
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

    private static JobDefinition job(long setId, String name, SetDefinition definition) {
        return new JobDefinition(name, "refresh", setId, definition.schedule(), definition.zone(),
                SetDefinitionJson.text(definition.misfire()), definition.misfireWindow(), definition.maxRuntime(),
                definition.enabled());
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
