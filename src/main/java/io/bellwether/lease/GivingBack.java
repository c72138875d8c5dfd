package io.bellwether.lease;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives runs back when the process stops, again and again while the database hiccups. A run that cannot be given back
 * costs its tick the rest of the lease. Stateless.
 */
final class GivingBack {
    /** How long it is tried for all runs together; a stop waits for that. */
    static final Duration LIMIT = Duration.ofSeconds(5);

    private static final Logger log = LoggerFactory.getLogger(TickService.class);
    private static final Duration AGAIN = Duration.ofMillis(200);

    private GivingBack() {}

    /** Returns when all were given back, or the time is over, or the calling thread is interrupted. */
    static void all(Ledger ledger, Collection<Claim> runs) {
        long end = System.nanoTime() + LIMIT.toNanos();
        List<Claim> left = new ArrayList<>(runs);
        while (true) {
            left.removeIf(run -> isDone(ledger, run));
            if (left.isEmpty() || System.nanoTime() - end >= 0 || Thread.currentThread().isInterrupted()) {
                break;
            }
            LockSupport.parkNanos(AGAIN.toNanos());
        }
        left.forEach(run -> log.warn("job={} tick={} could not be given back; its lease ends by itself", run.job(),
                run.scheduledAt()));
    }

    private static boolean isDone(Ledger ledger, Claim run) {
        try {
            ledger.giveBack(run, true);
            return true;
        } catch (SQLException e) {
            log.debug("job={} tick={} could not be given back yet", run.job(), run.scheduledAt(), e);
            return false;
        }
    }
}
