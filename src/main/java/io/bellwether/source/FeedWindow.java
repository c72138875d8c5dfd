package io.bellwether.source;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * The part of a feed that is in memory: {@code bytes[from, to)}. It slides over the stream, and grows when one line or
 * element needs more room, up to a limit. Not thread-safe.
 */
final class FeedWindow {
    private static final int FIRST_SIZE = 256 * 1024;

    private final InputStream in;
    private final long maxFeed;
    private final int maxSize;

    byte[] bytes = new byte[FIRST_SIZE];
    /** The first byte still of interest; whoever is done with some bytes raises it. */
    int from;
    /** The index after the last byte read. */
    int to;
    private long before;
    private boolean ended;

    FeedWindow(InputStream in, FeedLimits limits) {
        this.in = in;
        this.maxFeed = limits.feedBytes();
        this.maxSize = (int) Math.min(Integer.MAX_VALUE - 64L, limits.lineBytes() + 64L * 1024);
    }

    /** The place in the feed of {@code bytes[index]}. */
    long offset(int index) {
        return before + index;
    }

    /**
     * Reads some more. Indices into {@link #bytes} change by as much as {@link #from} does.
     *
     * @return false at the end of the feed
     */
    boolean more() throws IOException {
        if (ended) {
            return false;
        }
        if (to == bytes.length) {
            makeRoom();
        }
        int read = in.read(bytes, to, bytes.length - to);
        if (read < 0) {
            ended = true;
            return false;
        }
        to += read;
        if (offset(to) > maxFeed) {
            throw new FeedException(FeedProblem.TOO_LARGE, "the feed is larger than " + maxFeed + " bytes");
        }
        return true;
    }

    /** Reads on until {@code count} bytes from {@link #from} are there; false when the feed ends before. */
    boolean has(int count) throws IOException {
        while (to - from < count) {
            if (!more()) {
                return false;
            }
        }
        return true;
    }

    private void makeRoom() {
        if (from > 0) {
            System.arraycopy(bytes, from, bytes, 0, to - from);
            before += from;
            to -= from;
            from = 0;
        } else if (bytes.length < maxSize) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(maxSize, bytes.length * 2L));
        } else {
            throw new AssertionError("whoever keeps " + bytes.length + " bytes has to check the length of a line");
        }
    }
}
