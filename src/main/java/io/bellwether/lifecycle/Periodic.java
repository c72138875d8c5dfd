package io.bellwether.lifecycle;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a body again and again on one thread of its own; the pause between two passes is what the body returned.
 *
 * <p>The body cannot end it: whatever it throws, an {@link Error} included, is counted and logged (the first of a
 * series as a warning, the repetitions at debug level), and the loop goes on after the fallback pause. {@link #nudge}
 * ends the current pause at once.
 */
public final class Periodic implements Service {
    private static final Logger log = LoggerFactory.getLogger(Periodic.class);

    /** One pass. */
    @FunctionalInterface
    public interface Pass {
        /**
         * Does one pass.
         *
         * @return how long to pause before the next one
         * @throws Exception whatever went wrong; it is logged
         */
        Duration run() throws Exception;
    }

    private final String name;
    private final Duration fallback;
    private final Pass pass;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition wake = lock.newCondition();
    private final AtomicLong failures = new AtomicLong();
    private volatile long lastSuccessNanos = System.nanoTime();
    private boolean nudged;
    private volatile boolean stopping;
    private volatile @Nullable Thread thread;

    /**
     * A loop that is not yet running.
     *
     * @param name of the thread
     * @param fallback the pause after a pass that threw
     * @param pass the body
     */
    public Periodic(String name, Duration fallback, Pass pass) {
        this.name = name;
        this.fallback = fallback;
        this.pass = pass;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void start() {
        thread = Thread.ofPlatform().name(name).daemon(true).start(this::loop);
    }

    /** Ends the current pause, or makes the pass that is running be followed by another at once. */
    public void nudge() {
        lock.lock();
        try {
            nudged = true;
            wake.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Passes that threw, since the start. */
    public long failures() {
        return failures.get();
    }

    /** How long ago the last pass ended without throwing. */
    public Duration sinceLastSuccess() {
        return Duration.ofNanos(System.nanoTime() - lastSuccessNanos);
    }

    @Override
    public void stop(Duration grace) {
        stopping = true;
        nudge();
        Thread running = thread;
        if (running == null || running == Thread.currentThread()) {
            return;
        }
        try {
            if (!running.join(grace)) {
                running.interrupt();
                if (!running.join(Duration.ofSeconds(1))) {
                    log.warn("{} did not stop within {}", name, grace);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void loop() {
        boolean failing = false;
        while (!stopping) {
            Duration pause = fallback;
            try {
                pause = pass.run();
                lastSuccessNanos = System.nanoTime();
                failing = false;
            } catch (InterruptedException e) {
                if (stopping) {
                    return;
                }
            } catch (Throwable t) {
                failures.incrementAndGet();
                if (stopping) {
                    log.debug("{} failed while stopping", name, t);
                } else if (failing) {
                    log.debug("{} failed again", name, t);
                } else if (t instanceof SQLException || t instanceof IOException) {
                    // Something outside is away. Where it was noticed says nothing.
                    log.warn("{} failed; it goes on after {} ({})", name, fallback, t.toString());
                    log.debug("{} failed", name, t);
                } else {
                    log.warn("{} failed; it goes on after {} ({})", name, fallback, t.toString(), t);
                }
                failing = true;
            }
            pause(pause);
        }
    }

    private void pause(Duration pause) {
        lock.lock();
        try {
            long left = pause.toNanos();
            while (!nudged && !stopping && left > 0) {
                left = wake.awaitNanos(left);
            }
            nudged = false;
        } catch (InterruptedException e) {
            log.debug("{} interrupted in its pause", name);
        } finally {
            lock.unlock();
        }
    }
}
