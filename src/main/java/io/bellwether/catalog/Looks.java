package io.bellwether.catalog;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
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
 * have read before the caller arrived. Looks begin at least {@link #GAP} apart, or sooner when as many wait as the last one
 * served, so that fast clients need not wait for the clock; but never for fewer than {@link #FEWEST}. So a look is shared
 * by that many, or there are no more of them than one each {@link #GAP}. Without anyone joining there is one each
 * {@link #IDLE}.
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

    /** How many have to wait at least for a look to begin sooner than that. */
    static final int FEWEST = 16;

    /** How many are enough, however many the last one served: the others come while it is under way. */
    static final int ENOUGH = 256;

    /** How often is looked whether waiters have waited for too long. */
    private static final Duration WATCH = PATIENCE.dividedBy(4);

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

    /** Somebody who waits for a look without a thread. */
    @FunctionalInterface
    interface Waiter {
        /**
         * Told once, by the executor that it came with, which tells others of the same look afterwards; on the caller's own
         * thread when there is nothing to wait for.
         *
         * @param saw whether a look that began after the joining saw something
         */
        void looked(boolean saw);
    }

    private final Look look;
    private final Duration gap;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition wake = lock.newCondition();
    private final AtomicBoolean watched = new AtomicBoolean();
    private final ScheduledThreadPoolExecutor watch;
    private LookRound next = new LookRound();
    private @Nullable LookRound underWay;
    /** How many wait when the next look begins without regard to the clock. */
    private int enough = FEWEST;
    /** Whether the thread of the looks waits for the next one that nobody asked for. */
    private boolean resting;
    private boolean stopping;
    private volatile boolean blind;
    private volatile long beganNanos;
    private volatile long askedNanos = System.nanoTime() - Duration.ofHours(1).toNanos();
    private volatile boolean looking;
    private volatile @Nullable Thread thread;

    Looks(Look look) {
        this(look, GAP);
    }

    /** With another gap than {@link #GAP}. */
    Looks(Look look, Duration gap) {
        this.look = look;
        this.gap = gap;
        this.watch = new ScheduledThreadPoolExecutor(1,
                Thread.ofPlatform().name(name() + "-watch").daemon(true).factory());
        watch.setKeepAliveTime(10, TimeUnit.SECONDS);
        watch.allowCoreThreadTimeOut(true);
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
        return !isHopeless() && join(PATIENCE);
    }

    /**
     * As {@link #join()}, without a thread that waits. Who has waited for {@link #PATIENCE} is told a little later that
     * nothing was seen.
     *
     * @param executor tells all who came with it and share a look in one task
     */
    void join(Waiter waiter, Executor executor) {
        if (isHopeless() || !enter(waiter, executor)) {
            waiter.looked(false);
        } else if (watched.compareAndSet(false, true)) {
            watchSoon();
        }
    }

    private boolean isHopeless() {
        return blind || looking && System.nanoTime() - beganNanos > PATIENCE.toNanos();
    }

    /** Whether it is among those of the next look; not when there will be none. */
    private boolean enter(Waiter waiter, Executor executor) {
        lock.lock();
        try {
            if (stopping) {
                return false;
            }
            next.waiters.add(waiter, executor);
            joined();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for a look that begins now or later.
     *
     * @return whether it saw something within {@code patience}
     */
    boolean join(Duration patience) throws InterruptedException {
        try {
            return next(true).get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    /** Asks for a look soon, without waiting for it. */
    void nudge() {
        CompletableFuture<Boolean> unused = next(false);
    }

    private CompletableFuture<Boolean> next(boolean waits) {
        lock.lock();
        try {
            if (stopping) {
                return CompletableFuture.completedFuture(false);
            }
            if (waits) {
                joined();
            } else {
                wanted();
            }
            return next.seen;
        } finally {
            lock.unlock();
        }
    }

    /** Somebody asks who needs no look. */
    void noteAsked() {
        askedNanos = System.nanoTime();
    }

    /** Whether anybody asked, or joined, not longer ago than this. */
    boolean isAskedWithin(Duration past) {
        return System.nanoTime() - askedNanos <= past.toNanos();
    }

    private void joined() {
        noteAsked();
        wanted();
        if (++next.joined == enough) {
            wake.signalAll();
        }
    }

    private void wanted() {
        next.wanted = true;
        if (resting) {
            resting = false;
            wake.signalAll();
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
        LookRound.Waiters left;
        lock.lock();
        try {
            stopping = true;
            next.seen.complete(false);
            left = next.takeWaiters();
            wake.signalAll();
        } finally {
            lock.unlock();
        }
        left.tell(false);
        watch.shutdownNow();
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
        long last = System.nanoTime() - Math.max(IDLE.toNanos(), gap.toNanos());
        while (true) {
            LookRound round = await(last);
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
            end(round, saw);
        }
    }

    private void end(LookRound round, boolean saw) {
        LookRound.Waiters told;
        lock.lock();
        try {
            underWay = null;
            told = round.takeWaiters();
            if (!saw) {
                // As those who come from now on.
                told.addAll(next.takeWaiters());
            }
        } finally {
            lock.unlock();
        }
        round.seen.complete(saw);
        told.tell(saw);
    }

    private void watchSoon() {
        try {
            Future<?> unused = watch.schedule(this::watch, WATCH.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            log.debug("stopping, and nobody is left waiting", e);
        }
    }

    /** Sends those away who wait for a look that hangs. */
    private void watch() {
        LookRound.Waiters told = new LookRound.Waiters();
        watched.set(false);
        boolean anyone;
        lock.lock();
        try {
            if (isHopeless()) {
                told.addAll(next.takeWaiters());
                if (underWay != null) {
                    told.addAll(underWay.takeWaiters());
                }
            }
            anyone = !next.waiters.isEmpty() || underWay != null && !underWay.waiters.isEmpty();
        } finally {
            lock.unlock();
        }
        told.tell(false);
        if (anyone && watched.compareAndSet(false, true)) {
            watchSoon();
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
    private @Nullable LookRound await(long last) {
        lock.lock();
        try {
            while (!stopping) {
                long since = System.nanoTime() - last;
                Duration apart = apart(since);
                if (since >= apart.toNanos()) {
                    return begin();
                }
                resting = apart.equals(IDLE);
                wake.awaitNanos(apart.toNanos() - since);
            }
        } catch (InterruptedException e) {
            log.debug("interrupted", e);
        } finally {
            lock.unlock();
        }
        return null;
    }

    /** How long after the last look the next one begins, as things are. */
    private Duration apart(long since) {
        if (blind) {
            return RETRY;
        }
        if (next.joined >= enough) {
            return Duration.ZERO;
        }
        // Who comes within the gap need not wake the thread: it wakes when the gap is over.
        return next.wanted || since < gap.toNanos() ? gap : IDLE;
    }

    private LookRound begin() {
        LookRound round = next;
        next = new LookRound();
        underWay = round;
        resting = false;
        enough = Math.clamp(round.joined, FEWEST, ENOUGH);
        return round;
    }
}
