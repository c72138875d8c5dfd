package io.bellwether.http;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;

import io.bellwether.catalog.Heads;
import io.bellwether.catalog.SetState;

/** {@code Prefer: wait=N} on reads that may have nothing new. Thread safe. */
final class Polls {
    static final String APPLIED = "Preference-Applied";

    private final WaitingPolls waiting;

    Polls(WaitingPolls waiting) {
        this.waiting = waiting;
    }

    /**
     * Answers, or, when there is nothing new and the client would wait for it, waits first.
     *
     * @param nothingNew whether the client has what there is
     * @param isNews whether these heads are something new
     * @param answer answers, now or later; it looks at the heads again
     */
    void orHold(Exchange exchange, boolean nothingNew, Predicate<Heads> isNews, Endpoint answer) throws Exception {
        Optional<Duration> wait = Preferences.wait(exchange.header("Prefer"));
        wait.ifPresent(w -> exchange.set(APPLIED, applied(w)));
        if (nothingNew && wait.isPresent()) {
            waiting.hold(exchange, isNews, wait.get(), answer);
        } else {
            answer.handle(exchange);
        }
    }

    /** The same for a read of one set, for which another revision, another epoch or the end of the set is news. */
    void orHold(Exchange exchange, boolean nothingNew, Heads seen, String set, Endpoint answer) throws Exception {
        long revision = revision(seen, set);
        orHold(exchange, nothingNew, now -> !now.epoch().equals(seen.epoch()) || revision(now, set) != revision,
                answer);
    }

    /** The value of {@link #APPLIED} for a wait. */
    static String applied(Duration wait) {
        return "wait=" + wait.toSeconds();
    }

    private static long revision(Heads heads, String set) {
        return heads.set(set).map(SetState::revision).orElse(-1L);
    }
}
