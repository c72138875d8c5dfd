package io.bellwether.database;

import java.io.Closeable;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * A LISTEN on one channel, on a connection of its own. Not thread safe.
 *
 * <p>A notification is lost while the connection is away: it may speed something up, never be the only way to learn it.
 */
public final class Notifications implements Closeable {
    private final Connection connection;

    /**
     * Connects and listens.
     *
     * @param database where to
     * @param channel a plain identifier; trusted text
     * @throws SQLException if the database is away
     */
    public Notifications(Database database, String channel) throws SQLException {
        connection = database.dedicatedConnection("bellwether-listen");
        try (Statement statement = connection.createStatement()) {
            statement.execute("listen " + channel);
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /**
     * Waits for notifications.
     *
     * @param atMost how long; at least a millisecond
     * @return their payloads, empty when none came
     * @throws SQLException if the connection was lost
     */
    public List<String> await(Duration atMost) throws SQLException {
        PGNotification[] got = connection.unwrap(PGConnection.class)
                .getNotifications((int) Math.max(1, atMost.toMillis()));
        return got == null ? List.of() : Arrays.stream(got).map(PGNotification::getParameter).toList();
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            // It is gone either way.
            return;
        }
    }
}
