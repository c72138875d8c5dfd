package io.bellwether.refresh;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

import io.bellwether.database.Database;

/**
 * The connection of one refresh, outside the pool: it holds temporary tables, is busy for as long as the run takes, and
 * may be cut at any moment. Closing it is what drops the tables.
 */
final class StagingConnection {
    /**
     * Notices within a second that the client is gone; sorts and temporary tables in memory up to a bound; nothing but
     * the transaction's own limits ends a statement. Just-in-time compilation never pays for these statements.
     */
    private static final String SESSION = """
            set client_connection_check_interval = '1s';
            set work_mem = '64MB';
            set temp_buffers = '32MB';
            set statement_timeout = 0;
            set idle_in_transaction_session_timeout = '60s';
            set jit = off""";

    private static final int FIRST_ANSWER_MILLIS = 30_000;

    private StagingConnection() {}

    static Connection open(Database database) throws SQLException {
        Connection connection = database.dedicatedConnection("bellwether-refresh");
        try (Statement statement = connection.createStatement()) {
            // Nobody watches over it yet.
            connection.setNetworkTimeout(Runnable::run, FIRST_ANSWER_MILLIS);
            statement.execute(SESSION);
            connection.setNetworkTimeout(Runnable::run, 0);
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
        return connection;
    }
}
