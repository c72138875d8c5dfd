package io.bellwether.cluster;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Waiting for another process, which can only be asked again and again. */
final class Waiting {
    private static final long PAUSE_MS = 20;

    private Waiting() {}

    /** What is waited for; an exception ends the wait. */
    @FunctionalInterface
    interface Check<E extends Exception> {
        boolean holds() throws E, InterruptedException;
    }

    /** Asks each 20 ms; false when it does not hold within {@code limit}. */
    static <E extends Exception> boolean until(Duration limit, Check<E> check) throws E, InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (!check.holds()) {
            if (System.nanoTime() - end >= 0) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
        }
        return true;
    }
}
