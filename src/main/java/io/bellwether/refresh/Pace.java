package io.bellwether.refresh;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Makes room for readers: while this process is asked, the threads of runs rest after each few milliseconds of work, and
 * for the longer the more often they are woken late, for that is how long an answer waits as well for each processor it
 * needs. On a host with processors to spare they are woken in time and hardly rest. One for a process; thread safe.
 *
 * <p>How long: twice as long after a waking that was late, and a fiftieth less after each that was in time; so it
 * stays where one in thirty-five is late, between its bounds. A waking counts as late by how much later it came than the most
 * punctual one, since clocks differ; threads that are late at once count once, and a waking that a collection of the heap may
 * have held up counts neither way.
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
    /** The first rest, before anything is known. */
    static final Duration FIRST = Duration.ofMillis(4);
    /** More than this after the most punctual waking is late. */
    static final Duration LATE = Duration.ofNanos(300_000);
    private static final double SHORTER = 0.98;

    private final BooleanSupplier asked;
    private final List<GarbageCollectorMXBean> collectors = ManagementFactory.getGarbageCollectorMXBeans();
    private final ReentrantLock lock = new ReentrantLock();
    private volatile long restNanos = FIRST.toNanos();
    /** Under the lock. */
    private long punctualNanos = Long.MAX_VALUE;
    /** Under the lock. */
    private long doubledNanos = System.nanoTime() - LONGEST.toNanos();

    /**
     * The pace of all runs of a process.
     *
     * @param asked whether readers ask; thread safe and quick
     */
    Pace(BooleanSupplier asked) {
        this.asked = asked;
    }

    /**
     * For one thread of a run, which begins to work now.
     *
     * @param hurries whether the run has no time left to rest; quick
     */
    Steps steps(BooleanSupplier hurries) {
        return new Steps(hurries);
    }

    /** How long the next rest will be. */
    Duration rest() {
        return Duration.ofNanos(restNanos);
    }

    /**
     * A rest ended.
     *
     * @param overNanos how much later than it should
     * @param nowNanos when, by {@link System#nanoTime}
     */
    void woken(long overNanos, long nowNanos) {
        if (overNanos < 0) {
            // Somebody else woke the thread.
            return;
        }
        lock.lock();
        try {
            punctualNanos = Math.min(punctualNanos, overNanos);
            long rest = restNanos;
            if (overNanos - punctualNanos <= LATE.toNanos()) {
                restNanos = Math.max(SHORTEST.toNanos(), (long) (rest * SHORTER));
            } else if (nowNanos - doubledNanos >= rest) {
                restNanos = Math.min(LONGEST.toNanos(), rest * 2);
                doubledNanos = nowNanos;
            }
        } finally {
            lock.unlock();
        }
    }

    private long collections() {
        long all = 0;
        for (GarbageCollectorMXBean collector : collectors) {
            all += collector.getCollectionCount();
        }
        return all;
    }

    /** The pieces of work of one thread. Not thread safe. */
    final class Steps {
        /** Of small pieces the clock is looked at once for so many bytes. */
        private static final int BYTES = 64 << 10;
        /** What a piece without any bytes counts. */
        private static final int BYTES_AT_LEAST = 2 << 10;

        private final BooleanSupplier hurries;
        private long sinceNanos = System.nanoTime();
        private long bytes;

        private Steps(BooleanSupplier hurries) {
            this.hurries = hurries;
        }

        /**
         * A row is done; rests if it is time.
         *
         * @param length of the row, about
         */
        void row(int length) {
            bytes += BYTES_AT_LEAST + length;
            if (bytes >= BYTES) {
                bytes = 0;
                done();
            }
        }

        /** A piece of work is done; rests if it is time. An interrupt ends the rest and stays set. */
        void done() {
            long rest = restNanos;
            long now = System.nanoTime();
            if (now - sinceNanos < (rest > SHORTEST.toNanos() ? WORK : LONG_WORK).toNanos()) {
                return;
            }
            if (asked.getAsBoolean() && !hurries.getAsBoolean()) {
                rest(rest, now);
            } else {
                sinceNanos = now;
            }
        }

        private void rest(long rest, long now) {
            long before = collections();
            LockSupport.parkNanos(rest);
            sinceNanos = System.nanoTime();
            if (collections() == before) {
                woken(sinceNanos - now - rest, sinceNanos);
            }
        }
    }
}
