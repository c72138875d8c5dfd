package io.bellwether.database;

import java.io.Serial;
import java.sql.SQLException;

/**
 * The connection was lost while COMMIT was under way: the transaction may have been committed or not. The caller finds
 * out by reading a row that the transaction wrote.
 */
public final class AmbiguousCommitException extends SQLException {
    @Serial
    private static final long serialVersionUID = 1L;

    /** The loss of {@code what}'s connection. */
    public AmbiguousCommitException(String what, SQLException cause) {
        super("connection lost during COMMIT of " + what + "; it may have been committed or not", cause.getSQLState(),
                cause);
    }
}
