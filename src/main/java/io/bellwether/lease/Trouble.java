package io.bellwether.lease;

import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.util.concurrent.atomic.AtomicBoolean;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.bellwether.telemetry.Meters;

/**
 * A ledger that can be read and not be written: a full disk, a missing permission, a standby. Told once, and once more when
 * it works again; counted each time. That the database is away altogether is told by {@link JobBoard}. Thread safe.
 */
final class Trouble {
    private static final Logger log = LoggerFactory.getLogger(Trouble.class);

    private final Meters meters;
    private final AtomicBoolean told = new AtomicBoolean();

    Trouble(Meters meters) {
        this.meters = meters;
    }

    /** Something was not written. */
    void failed(String what, SQLException why) {
        meters.ledgerFailure();
        if (!isAway(why) && told.compareAndSet(false, true)) {
            log.warn("{} failed and is tried again, and so is what else PostgreSQL refuses until it takes it ({})",
                    what,
                    why.toString());
        }
    }

    /** Something was written. */
    void worked() {
        if (told.get() && told.compareAndSet(true, false)) {
            log.info("PostgreSQL takes claims and heartbeats again");
        }
    }

    /** Class 08: connection; 57: the operator intervened, or a time-out; 40: a conflict. The pool's own time-out has none. */
    private static boolean isAway(SQLException e) {
        String state = e.getSQLState();
        return e instanceof SQLTransientException || state == null || state.startsWith("08") || state.startsWith("57")
                || state.startsWith("40");
    }
}
