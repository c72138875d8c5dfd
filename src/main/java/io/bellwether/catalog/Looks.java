package io.bellwether.catalog;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.bellwether.lifecycle.Service;

/**
 * Looks at something, one after another, and shares each look among all who wait. Thread safe.
 *
 * <p>Who joins gets the outcome of a look that <em>begins</em> after the joining, never of one under way: that one may
 * have read before the caller arrived. Looks begin at least {@link #GAP} apart, so their number is bounded however many
 * join; without anyone joining there is one each {@link #IDLE}.
 */
final class Looks implements Service {
    private static final Logger log = LoggerFactory.getLogger(Looks.class);

    /**
     * How long a caller waits for a look before it goes without. Only who asks while a database falls silent pays it:
     * once a look hangs for so long, or fails, everybody goes without at once. Shorter would let a client see the past
     * whenever a busy machine stalls one process for a moment.
     */
    static final Duration PATIENCE = Duration.ofSeconds(1);

    /** From the beginning of one look to that of the next, under load. */
    static final Duration GAP = Duration.ofMillis(2);

    /** From one look to the next when nobody asks. */
    static final Duration IDLE = Duration.ofSeconds(1);

    /** From a failed look to the next. */
    static final Duration RETRY = Duration.ofMillis(200);

    /** One look; on the thread of the looks. */
    @FunctionalInterface
    interface Look {
        /**
         * Looks.
         *
         * @throws Exception if nothing could be seen
         */
        void run() throws Exception;
    }

    private static final class Round {
        private final CompletableFuture<Boolean> seen = new CompletableFuture<>();
        private boolean wanted;
    }

    private final Look look;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition wake = lock.newCondition();
    private Round next = new Round();
    private boolean stopping;
    private volatile boolean blind;
    private volatile long beganNanos;
    private volatile boolean looking;
    private volatile @Nullable Thread thread;

    Looks(Look look) {
        this.look = look;
    }

    @Override
    public String name() {
        return "catalog-look";
    }

    @Override
    public void start() {
        thread = Thread.ofPlatform().name(name()).daemon(true).start(this::loop);
    }

    /**
     * Waits for a look that begins now or later.
     *
     * @return whether it saw something; false at once when the last one did not or one has hung for too long
     */
    boolean join() throws InterruptedException {
        if (blind || looking && System.nanoTime() - beganNanos > PATIENCE.toNanos()) {
            return false;
        }
        return join(PATIENCE);
    }

    /**
     * Waits for a look that begins now or later.
     *
     * @return whether it saw something within {@code patience}
     */
    boolean join(Duration patience) throws InterruptedException {
        try {
            return next().get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    /** Asks for a look soon, without waiting for it. */
    void nudge() {
        CompletableFuture<Boolean> unused = next();
    }

    private CompletableFuture<Boolean> next() {
        lock.lock();
        try {
            if (stopping) {
                return CompletableFuture.completedFuture(false);
            }
            Round round = next;
            if (!round.wanted) {
                round.wanted = true;
                wake.signalAll();
            }
            return round.seen;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Called by a look that has seen what there is, before it tells anybody: who is told looks again, and would else be
     * sent away as if the look that told him had failed.
     */
    void saw() {
        blind = false;
    }

    /** Whether the last look failed. */
    boolean isBlind() {
        return blind;
    }

    @Override
    public void stop(Duration grace) {
        lock.lock();
        try {
            stopping = true;
            next.seen.complete(false);
            wake.signalAll();
        } finally {
            lock.unlock();
        }
        Thread running = thread;
        if (running == null) {
            return;
        }
        try {
            if (!running.join(grace)) {
                running.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void loop() {
        long last = System.nanoTime() - IDLE.toNanos();
        while (true) {
            Round round = await(last);
            if (round == null) {
                return;
            }
            last = System.nanoTime();
            beganNanos = last;
            looking = true;
            boolean saw = false;
            try {
                look.run();
                saw = true;
            } catch (Throwable t) {
                report(t);
            }
            looking = false;
            blind = !saw;
            round.seen.complete(saw);
        }
    }

    private void report(Throwable t) {
        if (stopping) {
            log.debug("a look failed while stopping", t);
        } else if (blind) {
            log.debug("a look failed again: {}", t.toString());
        } else {
            log.warn("cannot see the database, serving what is held, marked stale: {}", t.toString());
            log.debug("the look that failed", t);
        }
    }

    /** Waits until it is time for the next look; null when there will be none. */
    private @Nullable Round await(long last) {
        lock.lock();
        try {
            while (!stopping) {
                long since = System.nanoTime() - last;
                long pause = (blind ? RETRY : next.wanted ? GAP : IDLE).toNanos() - since;
                if (pause <= 0) {
                    Round round = next;
                    next = new Round();
                    return round;
                }
                wake.awaitNanos(pause);
            }
        } catch (InterruptedException e) {
            log.debug("interrupted", e);
        } finally {
            lock.unlock();
        }
        return null;
    }
}
