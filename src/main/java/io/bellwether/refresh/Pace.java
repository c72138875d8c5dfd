package io.bellwether.refresh;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Makes room for readers: while this process is asked, the threads of a run rest after each few milliseconds of work, and
 * for the longer the more often they are woken late, for that is how long an answer waits as well for each processor it
 * needs. On a host with processors to spare they are woken in time and hardly rest. One for a run; thread safe.
 *
 * <p>How long: twice as long after each waking that was late, and three hundredths less after each that was in time; so it
 * stays where one in twenty-four is late, between its bounds.
 */
final class Pace {
    /** How long a thread works before it rests, where processors are short. */
    static final Duration WORK = Duration.ofMillis(2);
    /** How long it works where there are enough. */
    static final Duration LONG_WORK = Duration.ofMillis(8);
    /** The shortest rest, which only finds out how late the thread is woken. */
    static final Duration SHORTEST = Duration.ofNanos(100_000);
    /** The longest rest. */
    static final Duration LONGEST = Duration.ofMillis(10);
    /** Woken later than this is late; the clock of an idle machine takes a tenth of it. */
    static final Duration LATE = Duration.ofNanos(400_000);
    /** The first rest, before anything is known. */
    static final Duration FIRST = Duration.ofMillis(4);
    private static final double SHORTER = 0.97;
    private static final int MASK = 0x1f;

    private final BooleanSupplier asked;
    private final AtomicLong restNanos = new AtomicLong(FIRST.toNanos());

    /**
     * The pace of a run that begins now.
     *
     * @param asked whether readers ask; thread safe and quick
     */
    Pace(BooleanSupplier asked) {
        this.asked = asked;
    }

    /** For one thread of the run, which begins to work now. */
    Steps steps() {
        return new Steps();
    }

    /** How long the next rest will be. */
    Duration rest() {
        return Duration.ofNanos(restNanos.get());
    }

    /** A rest of some length ended this much later. */
    void woken(Duration late) {
        boolean longer = late.compareTo(LATE) > 0;
        restNanos.updateAndGet(rest -> longer
                ? Math.min(LONGEST.toNanos(), rest * 2)
                : Math.max(SHORTEST.toNanos(), (long) (rest * SHORTER)));
    }

    /** The pieces of work of one thread. Not thread safe. */
    final class Steps {
        private long sinceNanos = System.nanoTime();
        private int pieces;

        private Steps() {}

        /** A piece of work that takes microseconds is done, such as a row. */
        void small() {
            if ((++pieces & MASK) == 0) {
                done();
            }
        }

        /** A piece of work is done; rests if it is time. An interrupt ends the rest and stays set. */
        void done() {
            long rest = restNanos.get();
            long now = System.nanoTime();
            if (now - sinceNanos < (rest > SHORTEST.toNanos() ? WORK : LONG_WORK).toNanos()) {
                return;
            }
            if (asked.getAsBoolean()) {
                LockSupport.parkNanos(rest);
                sinceNanos = System.nanoTime();
                woken(Duration.ofNanos(sinceNanos - now - rest));
            } else {
                sinceNanos = now;
            }
        }
    }
}
