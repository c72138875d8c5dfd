package io.bellwether.http;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;

/**
 * Bounds the bytes that requests hold in the heap at once, however large the segments are that they read. A request takes
 * all it will need before the first byte of its answer, and so never waits while it holds some. Thread safe.
 */
final class HeapShare {
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final int UNIT_BYTES = 1 << 10;

    private final int units;
    private final Semaphore free;

    /** A share of so many bytes. */
    HeapShare(long bytes) {
        this.units = Math.clamp(bytes / UNIT_BYTES, 1, Integer.MAX_VALUE);
        this.free = new Semaphore(units, true);
    }

    /** A quarter of what the heap may grow to. */
    static HeapShare ofThisProcess() {
        return new HeapShare(Runtime.getRuntime().maxMemory() / 4);
    }

    /** What was taken. */
    interface Taken extends AutoCloseable {
        /** Gives it back; once. */
        @Override
        void close();
    }

    /**
     * Takes bytes; who wants more than there are takes all.
     *
     * @throws Fault {@link FaultKind#OVERLOADED} if they are not free soon
     */
    Taken take(long bytes) throws InterruptedException {
        int wanted = Math.clamp(Math.ceilDiv(bytes, UNIT_BYTES), 0, units);
        if (!free.tryAcquire(wanted, PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new Fault(FaultKind.OVERLOADED, "too many large reads at once");
        }
        return () -> free.release(wanted);
    }
}
