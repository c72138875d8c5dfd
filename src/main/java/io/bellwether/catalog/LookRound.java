package io.bellwether.catalog;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Those who share a look. Guarded by the lock of the looks, but for what it tells. */
final class LookRound {
    private static final Logger log = LoggerFactory.getLogger(LookRound.class);

    /** Those who wait without a thread, by what runs what they do afterwards. */
    static final class Waiters {
        private final Map<Executor, List<Looks.Waiter>> byExecutor = new HashMap<>();

        void add(Looks.Waiter waiter, Executor executor) {
            byExecutor.computeIfAbsent(executor, any -> new ArrayList<>()).add(waiter);
        }

        void addAll(Waiters others) {
            others.byExecutor.forEach((executor, waiters) -> byExecutor
                    .computeIfAbsent(executor, any -> new ArrayList<>()).addAll(waiters));
        }

        boolean isEmpty() {
            return byExecutor.isEmpty();
        }

        /** Tells them, each executor's one after another in one task. */
        void tell(boolean saw) {
            byExecutor.forEach((executor, waiters) -> {
                try {
                    executor.execute(() -> waiters.forEach(waiter -> tell(waiter, saw)));
                } catch (RuntimeException e) {
                    log.error("those who waited for a look cannot be told", e);
                }
            });
        }

        private static void tell(Looks.Waiter waiter, boolean saw) {
            try {
                waiter.looked(saw);
            } catch (Throwable t) {
                log.error("somebody who waited for a look failed", t);
            }
        }
    }

    /** Completed when the look is over: whether it saw something. */
    final CompletableFuture<Boolean> seen = new CompletableFuture<>();
    /** Whether anybody asked for the look. */
    boolean wanted;
    /** How many wait for it, on threads of theirs or without. */
    int joined;
    /** Those without. */
    Waiters waiters = new Waiters();

    /** Those without a thread, to be told by the caller. */
    Waiters takeWaiters() {
        Waiters taken = waiters;
        waiters = new Waiters();
        return taken;
    }
}
