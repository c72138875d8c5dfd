package io.bellwether.schedule;

import java.time.Duration;

/**
 * What becomes of ticks that nobody could run in time. Immutable.
 *
 * @param kind one late run, or none
 * @param grace how late a tick may be and still run normally
 * @param window how old the newest missed tick may be to get a late run; older ones are only counted
 */
public record MisfirePolicy(Kind kind, Duration grace, Duration window) {
    /** How late a tick may be and still count as in time. */
    public static final Duration GRACE = Duration.ofSeconds(30);

    /** One late run of the newest, or none. */
    public enum Kind {
        /** One run of the newest tick; the backlog before it is counted in one row. */
        COALESCE,
        /** Ticks older than the grace are counted; the others run. */
        SKIP
    }
}
