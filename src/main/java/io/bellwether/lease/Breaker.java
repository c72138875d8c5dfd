package io.bellwether.lease;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * Keeps a caller from asking something that failed lately. Opens after {@value #FAILURES} failures in a row, for a pause
 * that doubles up to a limit; the next call after the pause is the probe. Thread safe.
 */
final class Breaker {
    private static final int FAILURES = 2;
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(4);

    private record State(int failures, Duration pause, long openUntilNanos) {
        private static final State CLOSED = new State(0, FIRST_PAUSE, 0);
    }

    private final LongSupplier nanos;
    private final AtomicReference<State> state = new AtomicReference<>(State.CLOSED);

    /**
     * A closed one.
     *
     * @param nanos a monotonic clock in nanoseconds
     */
    Breaker(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Whether asking makes sense now. After a pause it is true for one caller, until that one reports. */
    boolean mayAsk() {
        while (true) {
            State now = state.get();
            if (now.failures < FAILURES) {
                return true;
            }
            if (nanos.getAsLong() - now.openUntilNanos < 0) {
                return false;
            }
            State probing = new State(now.failures, now.pause, nanos.getAsLong() + now.pause.toNanos());
            if (state.compareAndSet(now, probing)) {
                return true;
            }
        }
    }

    void succeeded() {
        state.set(State.CLOSED);
    }

    void failed() {
        state.updateAndGet(before -> {
            int failures = before.failures + 1;
            boolean wasOpen = before.failures >= FAILURES;
            Duration doubled = before.pause.multipliedBy(2);
            Duration pause = !wasOpen ? FIRST_PAUSE : doubled.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : doubled;
            return new State(failures, pause, nanos.getAsLong() + pause.toNanos());
        });
    }
}
