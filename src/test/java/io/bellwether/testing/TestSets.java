package io.bellwether.testing;

import java.net.URI;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;

import io.bellwether.database.Database;
import io.bellwether.policy.SetDefinition;
import io.bellwether.policy.SetDefinitionJson;

/** Puts sets with their refresh jobs into a test's database. */
public final class TestSets {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private TestSets() {}

    /**
     * A set and its refresh job.
     *
     * @param setId the row in {@code policy_set}
     * @param jobId the row in {@code job}
     * @param name of both
     */
    public record Inserted(long setId, long jobId, String name) {}

    /** A definition with defaults: every minute, ten revisions, the default guard. */
    public static SetDefinition definition(URI source) {
        return definition(source, SetDefinition.Guard.DEFAULT);
    }

    /** A definition with defaults and this guard. */
    public static SetDefinition definition(URI source, SetDefinition.Guard guard) {
        return new SetDefinition(new SetDefinition.Source(source.toString(), Map.of()), "0 * * * * *", "UTC",
                SetDefinition.Misfire.COALESCE, SetDefinition.MISFIRE_WINDOW, Duration.ofMinutes(10), true, guard, 10);
    }

    /** Inserts a set of that name and its job, without a revision. */
    public static Inserted insert(Database database, String name, SetDefinition definition) throws SQLException {
        return database.<Inserted, RuntimeException>inTransaction("insert test set", LIMIT, connection -> {
            long setId = insertSet(connection, name, definition);
            return new Inserted(setId, insertJob(connection, setId, name, definition), name);
        });
    }

    private static long insertSet(Connection connection, String name, SetDefinition definition) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("""
                with raised as (update instance set heads_version = heads_version + 1 returning heads_version)
                insert into policy_set (name, definition, version) select ?, ?::jsonb, heads_version from raised
                returning set_id""")) {
            insert.setString(1, name);
            insert.setString(2, SetDefinitionJson.write(definition, true).toString());
            return number(insert);
        }
    }

    private static long insertJob(Connection connection, long setId, String name, SetDefinition definition)
            throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("""
                insert into job (name, kind, set_id, schedule, zone, misfire, max_runtime, enabled)
                values (?, 'refresh', ?, ?, ?, ?, make_interval(secs => ?), ?) returning job_id""")) {
            insert.setString(1, name);
            insert.setLong(2, setId);
            insert.setString(3, definition.schedule());
            insert.setString(4, definition.zone());
            insert.setString(5, definition.misfire() == SetDefinition.Misfire.SKIP ? "skip" : "coalesce");
            insert.setDouble(6, (double) definition.maxRuntime().toMillis() / 1000.0);
            insert.setBoolean(7, definition.enabled());
            return number(insert);
        }
    }

    private static long number(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }
}
