package io.bellwether.http;

import java.time.Duration;
import java.util.Optional;

/** What becomes of a request for the head of a set: decided here alone, whoever then answers it. Immutable. */
sealed interface HeadVerdict {
    /** The client has this head, and asked for no more: 304. */
    record Unchanged() implements HeadVerdict {}

    /** The client has this head, and waits for another one. */
    record Wait() implements HeadVerdict {}

    /**
     * The client has another head, or none: 200.
     *
     * @param offered how long it would have waited
     */
    record Whole(Optional<Duration> offered) implements HeadVerdict {}

    /**
     * Decides.
     *
     * @param head what there is
     * @param asked what the client says it has and wants
     */
    static HeadVerdict of(HeadAnswer head, Asked asked) {
        Optional<Duration> wait = Preferences.wait(asked.header("Prefer"));
        if (!head.isNamedBy(asked.header("If-None-Match"))) {
            return new Whole(wait);
        }
        return wait.isPresent() ? new Wait() : new Unchanged();
    }
}
