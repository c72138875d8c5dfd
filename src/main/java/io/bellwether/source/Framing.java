package io.bellwether.source;

import java.io.IOException;

import org.jspecify.annotations.Nullable;

/**
 * How a feed is divided into policies. After {@link #next} said true the bytes of one policy are
 * {@code window.bytes[window.from, end())}, with white space around it perhaps; the next call drops them. Not thread-safe.
 */
abstract sealed class Framing permits LineFraming, ArrayFraming {
    final FeedWindow window;
    final int maxBytes;
    /** The line in which the present policy begins, from 1. */
    long line;
    /** The index after the present policy. */
    int end;

    Framing(FeedWindow window, FeedLimits limits, long line) {
        this.window = window;
        this.maxBytes = limits.lineBytes();
        this.line = line;
    }

    /** Goes on to the next policy; false at the proper end of the feed. */
    abstract boolean next() throws IOException, JsonFault;

    /** Whether the feed ends right after the present policy, without so much as a line feed. */
    abstract boolean cutShort();

    /** Makes one run of bytes without line breaks of a body that was found good. */
    abstract void flatten(FeedPolicy policy);

    /** How many line feeds were met so far. */
    abstract long lineFeeds();

    /**
     * Looks at how a feed begins, past a byte order mark and white space.
     *
     * @return null if there is nothing in it
     */
    static @Nullable Framing of(FeedWindow window, FeedLimits limits) throws IOException, JsonFault {
        refuseUtf16(window);
        if (window.has(3) && at(window, 0) == 0xef && at(window, 1) == 0xbb && at(window, 2) == 0xbf) {
            window.from += 3;
        }
        long line = 1;
        while (window.has(1)) {
            switch (at(window, 0)) {
                case '\n' -> line++;
                case ' ', '\t', '\r' -> {
                    // Skipped.
                }
                case '[' -> {
                    window.from++;
                    return new ArrayFraming(window, limits, line);
                }
                case '<' -> throw new JsonFault(FeedProblem.HTML, window.from, "is a web page, not a feed: "
                        + beginning(window), line);
                case '{' -> {
                    return new LineFraming(window, limits, line);
                }
                default -> throw new JsonFault(FeedProblem.NOT_JSON, window.from,
                        "is neither JSON lines nor a JSON array: " + beginning(window), line);
            }
            window.from++;
        }
        return null;
    }

    private static String beginning(FeedWindow window) throws IOException {
        window.has(Snippet.ENOUGH);
        return Snippet.of(window.bytes, window.from, window.to);
    }

    private static void refuseUtf16(FeedWindow window) throws IOException, JsonFault {
        if (window.has(2)) {
            int first = at(window, 0);
            int second = at(window, 1);
            if (first == 0xfe && second == 0xff || first == 0xff && second == 0xfe || (first == 0) != (second == 0)) {
                throw new JsonFault(FeedProblem.BAD_UTF8, window.from,
                        "looks like UTF-16 or UTF-32, and must be UTF-8", 1);
            }
        }
    }

    private static int at(FeedWindow window, int index) {
        return window.bytes[window.from + index] & 0xff;
    }
}
