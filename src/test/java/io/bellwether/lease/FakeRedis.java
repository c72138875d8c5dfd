package io.bellwether.lease;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * What several gates share, in memory, with switches for what befalls a Redis. Locks are kept until they are let go or
 * {@link #expire} says that their lease is over; there is no clock in it. Thread safe.
 */
final class FakeRedis {
    /** What befalls it. */
    enum Weather {
        UP, DOWN,
        /** Takes commands and does them, but no answer arrives. */
        MUTE
    }

    private final AtomicLong owners = new AtomicLong();

    @GuardedBy("this")
    private final Map<String, Long> locks = new HashMap<>();

    @GuardedBy("this")
    private Weather weather = Weather.UP;

    synchronized void weather(Weather now) {
        weather = now;
    }

    /** All locks are gone. */
    synchronized void flush() {
        locks.clear();
    }

    /** The lease of whoever holds the job's lock is over. */
    synchronized void expire(String job) {
        locks.remove(job);
    }

    synchronized boolean isHeld(String job) {
        return locks.containsKey(job);
    }

    /** A gate of one process. */
    Gate gate() {
        return new Gate() {
            @Override
            public Answer tryEnter(String job) {
                return enter(job);
            }

            @Override
            public boolean isUp() {
                synchronized (FakeRedis.this) {
                    return weather == Weather.UP;
                }
            }

            @Override
            public String name() {
                return "fake gate";
            }

            @Override
            public void start() {}

            @Override
            public void stop(Duration grace) {}
        };
    }

    private synchronized Gate.Answer enter(String job) {
        long owner = owners.incrementAndGet();
        if (weather == Weather.DOWN) {
            return new Gate.Unavailable("error");
        }
        Long holder = locks.putIfAbsent(job, owner);
        if (weather == Weather.MUTE) {
            return new Gate.Unavailable("timeout");
        }
        return holder == null ? new Gate.Won(() -> leave(job, owner)) : new Gate.Held();
    }

    private synchronized void leave(String job, long owner) {
        if (weather != Weather.DOWN) {
            locks.remove(job, owner);
        }
    }
}
