package io.bellwether.fault;

import java.time.InstantSource;
import java.util.ServiceLoader;

import org.jspecify.annotations.Nullable;

/**
 * The places between two steps at which it matters that a process can die, pause or lose its connection there. In the
 * product, which has no {@link FaultInjection}, reaching one does nothing.
 */
public enum Failpoint {
    /** A process that starts has brought the schema up to date, and serves nothing yet. */
    START_BEGUN,
    /** The gate was won; nothing is claimed. */
    GATE_WON,
    /** In a claim's transaction (a take-over's, too), which has won: COMMIT comes next. */
    CLAIM_SENT,
    /** A tick or a manual run was won; its work has not begun. */
    CLAIM_COMMITTED,
    /** A dead run was taken over; the work of the new attempt has not begun. */
    TAKE_OVER_COMMITTED,
    /** The work begins. */
    WORK_STARTED,
    /** The feed was read, compared and staged; nothing is published. */
    FEED_READ,
    /** In the publishing transaction, which has just locked the job's row and compared the fence. */
    PUBLISH_FENCED,
    /** In the publishing transaction, which has done everything: COMMIT comes next. */
    PUBLISH_SENT,
    /** The publishing transaction was committed, as far as the process knows; it did nothing since. */
    PUBLISH_COMMITTED,
    /** The run's row says how it ended; the lock is still held. */
    RUN_FINISHED,
    /** The process was told to stop, and has done nothing about it. */
    STOP_BEGUN;

    /** Stands for the job where a point belongs to the process as a whole. */
    public static final String PROCESS = "process";

    private static final @Nullable FaultInjection INJECTION = ServiceLoader
            .load(FaultInjection.class, Failpoint.class.getClassLoader()).findFirst().orElse(null);

    /**
     * To be called where the point is.
     *
     * @param job of the run in question, or {@link #PROCESS}
     */
    public static void reach(Failpoint point, String job) {
        if (INJECTION != null) {
            INJECTION.reached(point, job);
        }
    }

    /** The clock that the process goes by: {@code real}, but in tests of wrong clocks. */
    public static InstantSource clock(InstantSource real) {
        return INJECTION == null ? real : INJECTION.clock(real);
    }
}
