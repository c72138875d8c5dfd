package io.bellwether.lease;

import org.jspecify.annotations.Nullable;

import io.bellwether.lifecycle.Service;

/**
 * Who should run a job's tick: advice, asked before the claim so that the others need not try. Thread safe.
 *
 * <p>At most one process is inside the gate of a job while all goes well; nothing may rest on it. An answer comes within
 * {@link #DEADLINE_MILLIS} whatever happens.
 */
public interface Gate extends Service {
    /** How long a question may take, in milliseconds. */
    long DEADLINE_MILLIS = 500;

    /**
     * Tries to enter; never waits for whoever is inside. Never throws.
     *
     * @param job the job's name
     */
    Answer tryEnter(String job);

    /** Whether it answered when it was asked last. */
    boolean isUp();

    /** What came of a try. */
    sealed interface Answer {}

    /**
     * We are inside, until we leave or fall silent.
     *
     * @param pass to leave with
     */
    record Won(Pass pass) implements Answer {}

    /** Somebody is inside, or fell silent inside less than a lease ago. */
    record Held() implements Answer {}

    /**
     * Nobody knows.
     *
     * @param why {@code error}, {@code timeout} or {@code open} (not even asked, because it failed lately)
     */
    record Unavailable(String why) implements Answer {}

    /** The right to be inside. */
    interface Pass {
        /**
         * Leaves, and waits until that arrived, for {@link #DEADLINE_MILLIS} at most. Never throws; a leave that does not
         * arrive costs the next tick two seconds. Once is enough.
         */
        void leave();
    }

    /** The gate that was used, as recorded in the run's row; null when none was asked. */
    static String used(@Nullable Pass pass) {
        return pass == null ? "postgres" : "redis";
    }
}
