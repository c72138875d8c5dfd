package io.bellwether.policy;

import java.time.Duration;
import java.util.Map;

/**
 * A set as an operator declares it. Immutable. {@link #toString} shows no header value.
 *
 * @param source where its feed is
 * @param schedule cron text of five or six fields
 * @param zone the time zone of the schedule, an IANA name
 * @param misfire what becomes of ticks that nobody could run in time
 * @param misfireWindow how old the newest missed tick may be to get a late run
 * @param maxRuntime how long one run may take
 * @param enabled whether its schedule fires
 * @param guard what a refresh may not do
 * @param keepRevisions how many revisions stay readable, at least 1
 */
public record SetDefinition(Source source, String schedule, String zone, Misfire misfire, Duration misfireWindow,
        Duration maxRuntime, boolean enabled, Guard guard, int keepRevisions) {
    /** A day. */
    public static final Duration MISFIRE_WINDOW = Duration.ofDays(1);

    /** The same with another source. */
    public SetDefinition withSource(Source other) {
        return new SetDefinition(other, schedule, zone, misfire, misfireWindow, maxRuntime, enabled, guard,
                keepRevisions);
    }

    /**
     * Where a feed is.
     *
     * @param url {@code http}, {@code https} or {@code file}
     * @param headers sent with the request; their values are secret
     */
    public record Source(String url, Map<String, String> headers) {
        /** Copies the headers. */
        public Source {
            headers = Map.copyOf(headers);
        }

        @Override
        public String toString() {
            return url + " with headers " + headers.keySet();
        }
    }

    /** What becomes of ticks older than the misfire grace: one late run of the newest, or none. */
    public enum Misfire {
        COALESCE, SKIP
    }

    /** What becomes of a feed that holds a key twice. */
    public enum DuplicateKeys {
        REFUSE, LAST
    }

    /**
     * What a refresh may not do without an approval.
     *
     * @param maxDeleteShare the share of the set's policies that may vanish at once, 0 to 1
     * @param allowEmpty whether a set that has policies may become empty
     * @param duplicateKeys what to do with a key that occurs twice
     */
    public record Guard(double maxDeleteShare, boolean allowEmpty, DuplicateKeys duplicateKeys) {
        /** At most 30 % deletes, never empty, no duplicates. */
        public static final Guard DEFAULT = new Guard(0.3, false, DuplicateKeys.REFUSE);
    }
}
