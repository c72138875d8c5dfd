package io.bellwether.testing;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits for something that happens in another process and tells nobody. */
public final class Eventually {
    private static final Duration STEP = Duration.ofMillis(20);

    private Eventually() {}

    /** Waits until {@code condition} is true, and fails with {@code what} when it is not within {@code limit}. */
    public static void eventually(String what, Duration limit, Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("not within " + limit + ": " + what);
            }
            LockSupport.parkNanos(STEP.toNanos());
        }
    }
}
