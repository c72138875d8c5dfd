package io.bellwether.database;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * What is done inside a transaction.
 *
 * @param <T> what it returns
 * @param <X> what it may throw besides {@link SQLException}; {@link RuntimeException} for nothing
 */
@FunctionalInterface
public interface TransactionBody<T, X extends Exception> {
    /**
     * Works on the connection, which is in a transaction. Must not commit, roll back or close it.
     *
     * @throws SQLException whatever the database says; the transaction is rolled back
     * @throws X whatever else went wrong; the transaction is rolled back
     */
    T run(Connection connection) throws SQLException, X;
}
