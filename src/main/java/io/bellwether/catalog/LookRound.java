package io.bellwether.catalog;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Those who share a look. Guarded by the lock of the looks, but for what it tells. */
final class LookRound {
    private static final Logger log = LoggerFactory.getLogger(LookRound.class);

    /** How many waiters are told by one thread, one after another. */
    private static final int LOT = 64;

    /** Completed when the look is over: whether it saw something. */
    final CompletableFuture<Boolean> seen = new CompletableFuture<>();
    /** Whether anybody asked for the look. */
    boolean wanted;
    /** How many wait for it, on threads of theirs or without. */
    int joined;
    /** Those without. */
    List<Looks.Waiter> waiters = new ArrayList<>();

    /** Those without a thread, to be told by the caller. */
    List<Looks.Waiter> takeWaiters() {
        List<Looks.Waiter> taken = waiters;
        waiters = new ArrayList<>();
        return taken;
    }

    /** Tells them, on virtual threads. */
    static void tell(List<Looks.Waiter> waiters, boolean saw) {
        for (int i = 0; i < waiters.size(); i += LOT) {
            List<Looks.Waiter> lot = waiters.subList(i, Math.min(i + LOT, waiters.size()));
            Thread.startVirtualThread(() -> lot.forEach(waiter -> tell(waiter, saw)));
        }
    }

    private static void tell(Looks.Waiter waiter, boolean saw) {
        try {
            waiter.looked(saw);
        } catch (Throwable t) {
            log.error("somebody who waited for a look failed", t);
        }
    }
}
