package io.bellwether.source;

import io.bellwether.policy.Limits;

/**
 * How much a feed may be. The reader's memory is bounded by {@code lineBytes}, twice that while its buffer grows.
 *
 * @param receivedBytes the feed as it arrives, compressed or not
 * @param feedBytes the feed after decompression
 * @param lineBytes one line, or one element of an array
 * @param bodyBytes one body
 * @param depth levels of nesting inside a body
 * @param numberBytes digits, signs and points of one number
 */
public record FeedLimits(long receivedBytes, long feedBytes, int lineBytes, int bodyBytes, int depth, int numberBytes) {
    /** 16 GiB as received, 64 GiB of lines, the line and body of {@link Limits}, 500 levels, numbers of 1,000 bytes. */
    public static final FeedLimits DEFAULT = new FeedLimits(16L << 30, 64L << 30, Limits.MAX_LINE_BYTES,
            Limits.MAX_BODY_BYTES, 500, 1_000);

    /** Refuses limits that allow nothing. */
    public FeedLimits {
        if (receivedBytes < 1 || feedBytes < 1 || lineBytes < 1 || bodyBytes < 1 || depth < 1 || numberBytes < 1) {
            throw new IllegalArgumentException("every limit must be at least 1");
        }
    }

    /** The same limits with other ones for the size of the whole feed. */
    public FeedLimits withFeedBytes(long received, long decompressed) {
        return new FeedLimits(received, decompressed, lineBytes, bodyBytes, depth, numberBytes);
    }

    /** The same limits with other ones for a line and a body. */
    public FeedLimits withLineBytes(int line, int body) {
        return new FeedLimits(receivedBytes, feedBytes, line, body, depth, numberBytes);
    }
}
