package io.bellwether.lease;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import io.bellwether.database.Database;

/** The job {@code demo} of a database that tests share, and whatever else they do to its tables by hand. Stateless. */
final class DemoJob {
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private DemoJob() {}

    /** Leaves it as the only job: due each second, nothing of it accounted for since {@link LedgerContract#T0}. */
    static void alone(Database database) throws SQLException {
        execute(database, "delete from job");
        define(database, "* * * * * *", true);
        execute(database, "update job set tick_cursor = '" + LedgerContract.T0 + "'");
    }

    /** Defines it, or defines it anew. */
    static void define(Database database, String schedule, boolean enabled) throws SQLException {
        database.<Long, RuntimeException>inTransaction("define", LIMIT, c -> JobControl.define(c,
                new JobDefinition("demo", "refresh", null, schedule, "UTC", "coalesce", Duration.ofDays(1),
                        Duration.ofMinutes(1), enabled)));
    }

    static void execute(Database database, String sql) throws SQLException {
        try (Connection connection = database.dedicatedConnection("test");
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
