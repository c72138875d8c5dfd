package io.bellwether.source;

import java.time.Duration;

/**
 * How long getting a feed may take. Reading from a local file is bounded by {@code whole} alone, looked at between reads.
 *
 * @param firstByte from the request to the headers of its answer, connecting included, at each hop
 * @param stall without a byte of the body, while the reader waits for one
 * @param whole from opening to the last byte
 */
public record SourceTimeouts(Duration firstByte, Duration stall, Duration whole) {
    /** 60 s, 60 s, 6 h. */
    public static final SourceTimeouts DEFAULT = new SourceTimeouts(Duration.ofSeconds(60),
            Duration.ofSeconds(60), Duration.ofHours(6));

    /** Refuses times that are not above zero. */
    public SourceTimeouts {
        if (!firstByte.isPositive() || !stall.isPositive() || !whole.isPositive()) {
            throw new IllegalArgumentException("every time-out must be above zero");
        }
    }

    /** The same time-outs with another one for the whole. */
    public SourceTimeouts within(Duration time) {
        return new SourceTimeouts(firstByte, stall, time);
    }
}
