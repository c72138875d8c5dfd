package io.bellwether.fault;

import java.time.InstantSource;

/**
 * What test builds put in to make a process fail at a chosen point, or go by a wrong clock. Thread safe.
 *
 * <p>Found by {@link java.util.ServiceLoader}, once, when the first point is reached. The product holds no
 * implementation: a test looks into every jar of the distribution.
 */
public interface FaultInjection {
    /**
     * A thread is at a point. May return, never return, or throw anything, checked or not.
     *
     * @param point where
     * @param job of the run in question, or {@link Failpoint#PROCESS}
     */
    void reached(Failpoint point, String job);

    /**
     * The clock that the process goes by.
     *
     * @param real the one it would go by otherwise
     */
    InstantSource clock(InstantSource real);
}
