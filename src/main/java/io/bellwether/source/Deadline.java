package io.bellwether.source;

import java.time.Duration;

/** When the whole of an attempt has to be over, by the clock that never jumps. Immutable. */
final class Deadline {
    private final Duration whole;
    private final long end;

    Deadline(Duration whole) {
        this.whole = whole;
        this.end = System.nanoTime() + whole.toNanos();
    }

    /** Nanoseconds to wait at most: the limit given, or what is left of the whole, whichever is less; may be below 0. */
    long nanos(Duration limit) {
        return Math.min(limit.toNanos(), end - System.nanoTime());
    }

    void check() throws FeedException {
        if (System.nanoTime() - end >= 0) {
            throw passed();
        }
    }

    /** What to throw after waiting for {@code limit} in vain: the whole is over, or this wait was too long. */
    FeedException passed(Duration limit, String waitedFor) {
        return System.nanoTime() - end >= 0
                ? passed()
                : new FeedException(FeedProblem.TIMEOUT, waitedFor + " within " + words(limit));
    }

    private FeedException passed() {
        return new FeedException(FeedProblem.TIMEOUT, "getting the feed took longer than " + words(whole) + " in all");
    }

    private static String words(Duration time) {
        return time.toMillis() % 1000 == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
    }
}
