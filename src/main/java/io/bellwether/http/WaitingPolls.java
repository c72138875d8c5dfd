package io.bellwether.http;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

import io.bellwether.catalog.CatalogService;
import io.bellwether.catalog.Heads;
import io.bellwether.telemetry.Meters;

/**
 * Requests that wait for news (long polls). Thread safe.
 *
 * <p>Each is an asynchronous request and an entry here, not a thread. When heads change, those they concern are let go,
 * {@link #AT_ONCE} at a time and {@link #STEP} apart, so that thousands do not all ask again in the same instant; so are
 * all of them when tokens changed, because theirs may be one that was revoked, and when the process is about to stop.
 *
 * <p>Jetty reads nothing from a connection whose request it is still answering, so it does not notice that a waiting
 * client went away; without {@link #sweep} its descriptor would stay open until the wait is over.
 */
final class WaitingPolls {
    /** How many are let go at once. */
    static final int AT_ONCE = 100;

    /** The time from one lot to the next. */
    static final Duration STEP = Duration.ofMillis(10);

    /** How often clients that went away are looked for, and how old a wait is before it is looked at. */
    static final Duration SWEEP = Duration.ofSeconds(4);

    /** A request that waits. It is over once, for one reason; after that its connection is not touched from here. */
    private static final class Waiter {
        private final Exchange exchange;
        private final Predicate<Heads> isNews;
        private final CompletableFuture<Boolean> abandoned = new CompletableFuture<>();
        private final long sinceNanos = System.nanoTime();
        private boolean over;

        Waiter(Exchange exchange, Predicate<Heads> isNews) {
            this.exchange = exchange;
            this.isNews = isNews;
        }

        void release() {
            synchronized (this) {
                if (over) {
                    return;
                }
                over = true;
            }
            Thread.startVirtualThread(() -> abandoned.complete(false));
        }

        void releaseIfAbandoned() {
            synchronized (this) {
                if (over || System.nanoTime() - sinceNanos < SWEEP.toNanos() || !exchange.isAbandoned()) {
                    return;
                }
                over = true;
            }
            Thread.startVirtualThread(() -> abandoned.complete(true));
        }
    }

    private final CatalogService catalog;
    private final Draining draining;
    private final Set<Waiter> waiting = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicBoolean sweepPlanned = new AtomicBoolean();
    private final ScheduledThreadPoolExecutor timer;

    WaitingPolls(CatalogService catalog, Draining draining, Meters meters) {
        this.catalog = catalog;
        this.draining = draining;
        this.timer = new ScheduledThreadPoolExecutor(1,
                Thread.ofPlatform().name("waiting-polls").daemon(true).factory());
        timer.setRemoveOnCancelPolicy(true);
        timer.setKeepAliveTime(10, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        AtomicLong tokens = new AtomicLong(catalog.heads().tokensVersion());
        catalog.onHeads(heads -> {
            boolean tokensChanged = tokens.getAndSet(heads.tokensVersion()) != heads.tokensVersion();
            timer.execute(() -> letGo(w -> tokensChanged || w.isNews.test(heads)));
        });
        draining.onDrain(() -> timer.execute(() -> letGo(w -> true)));
        meters.gauge("waiting_polls", "Requests that wait for news", count::get);
    }

    int count() {
        return count.get();
    }

    /**
     * Holds a request until there is news, the wait is over, or the process is about to stop; then it is answered.
     *
     * @param isNews whether these heads are what the request waits for
     * @param longest how long it waits
     * @param answer answers it, on a thread of its own
     */
    void hold(Exchange exchange, Predicate<Heads> isNews, Duration longest, Endpoint answer) {
        Waiter waiter = new Waiter(exchange, isNews);
        waiting.add(waiter);
        count.incrementAndGet();
        Future<?> end = timer.schedule(waiter::release, longest.toMillis(), TimeUnit.MILLISECONDS);
        CompletableFuture<Boolean> over = waiter.abandoned.whenComplete((done, failed) -> {
            end.cancel(false);
            if (waiting.remove(waiter)) {
                count.decrementAndGet();
            }
        });
        exchange.later(over, answer);
        planSweep();
        // Whatever happened between the caller's look and the entry here told nobody.
        if (draining.isDraining() || isNews.test(catalog.heads())) {
            waiter.release();
        }
    }

    private void letGo(Predicate<Waiter> which) {
        List<Waiter> chosen = new ArrayList<>();
        for (Waiter waiter : waiting) {
            if (which.test(waiter)) {
                chosen.add(waiter);
            }
        }
        for (int i = 0; i < chosen.size(); i += AT_ONCE) {
            List<Waiter> lot = chosen.subList(i, Math.min(i + AT_ONCE, chosen.size()));
            Future<?> unused = timer.schedule(() -> lot.forEach(Waiter::release), i / AT_ONCE * STEP.toMillis(),
                    TimeUnit.MILLISECONDS);
        }
    }

    private void planSweep() {
        if (sweepPlanned.compareAndSet(false, true)) {
            Future<?> unused = timer.schedule(this::sweep, SWEEP.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void sweep() {
        sweepPlanned.set(false);
        waiting.forEach(Waiter::releaseIfAbandoned);
        if (!waiting.isEmpty()) {
            planSweep();
        }
    }
}
