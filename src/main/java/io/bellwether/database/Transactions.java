package io.bellwether.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** Runs bodies in transactions with a limit that the server enforces. Stateless. */
public final class Transactions {
    /** How long past the limit the driver waits for an answer before it gives the connection up. */
    private static final Duration NETWORK_SLACK = Duration.ofSeconds(3);

    /** How long past the limit the server ends the whole session; a statement that is over it is only cancelled. */
    private static final Duration SERVER_SLACK = Duration.ofSeconds(1);

    private Transactions() {}

    /**
     * Runs {@code body} in a transaction on {@code connection} and commits it.
     *
     * @param connection in auto-commit mode; in the same mode afterwards unless it broke
     * @param what names the transaction in errors
     * @param limit how long the transaction may take, at least a millisecond
     * @param body what to do
     * @return what the body returned
     * @throws SQLException as {@link Database#inTransaction}
     */
    public static <T, X extends Exception> T run(Connection connection, String what, Duration limit,
            TransactionBody<T, X> body) throws SQLException, X {
        connection.setNetworkTimeout(Runnable::run, Math.toIntExact(limit.plus(NETWORK_SLACK).toMillis()));
        connection.setAutoCommit(false);
        T result;
        try {
            limit(connection, limit);
            result = body.run(connection);
        } catch (Throwable t) {
            rollBack(connection, t);
            throw t;
        }
        commit(connection, what);
        return result;
    }

    private static void limit(Connection connection, Duration limit) throws SQLException {
        long millis = Math.max(1, limit.toMillis());
        try (Statement statement = connection.createStatement()) {
            statement.execute("set local transaction_timeout = " + (millis + SERVER_SLACK.toMillis())
                    + "; set local statement_timeout = " + millis
                    + "; set local lock_timeout = " + millis);
        }
    }

    private static void commit(Connection connection, String what) throws SQLException {
        try {
            connection.commit();
        } catch (SQLException e) {
            String state = e.getSQLState();
            // Only these say that nothing was committed: a rollback (40), a broken constraint (23), a transaction that had
            // failed before (25P02) or was ended while it idled (25P03). After any other, and none at all, it is not known.
            if (state == null || !(state.startsWith("40") && !state.equals("40003") || state.startsWith("23")
                    || state.equals("25P02") || state.equals("25P03"))) {
                throw new AmbiguousCommitException(what, e);
            }
            rollBack(connection, e);
            throw e;
        }
        connection.setAutoCommit(true);
    }

    private static void rollBack(Connection connection, Throwable because) {
        try {
            if (!connection.isClosed()) {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            because.addSuppressed(e);
        }
    }
}
