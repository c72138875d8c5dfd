package io.bellwether.source;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** One policy a line; lines of white space alone are skipped. Not thread-safe. */
final class LineFraming extends Framing {
    private static final VarHandle EIGHT = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGHS = 0x8080808080808080L;

    private long nextLine;
    /** Where the next line begins. */
    private int next;
    private boolean cutShort;

    LineFraming(FeedWindow window, FeedLimits limits, long line) {
        super(window, limits, line);
        this.nextLine = line;
        this.next = window.from;
    }

    @Override
    boolean next() throws IOException, JsonFault {
        while (findLine()) {
            if (JsonScanner.white(window.bytes, window.from, end) < end) {
                return true;
            }
        }
        return false;
    }

    private boolean findLine() throws IOException, JsonFault {
        window.from = next;
        end = window.from;
        cutShort = false;
        line = nextLine;
        while (true) {
            end = lineFeed(window.bytes, end, window.to);
            if (end - window.from > maxBytes) {
                throw new JsonFault(FeedProblem.TOO_LONG, window.from, "is longer than " + maxBytes + " bytes");
            }
            if (end < window.to) {
                next = end + 1;
                nextLine++;
                return true;
            }
            int length = end - window.from;
            boolean more = window.more();
            end = window.from + length;
            if (!more) {
                next = end;
                cutShort = true;
                return length > 0;
            }
        }
    }

    @Override
    boolean cutShort() {
        return cutShort;
    }

    @Override
    void flatten(FeedPolicy policy) {
        // A line has no line breaks.
    }

    @Override
    long lineFeeds() {
        return nextLine - 1;
    }

    /** The index of the first line feed, or {@code to}; eight bytes at a time. */
    private static int lineFeed(byte[] b, int from, int to) {
        int i = from;
        while (i + Long.BYTES <= to) {
            long other = (long) EIGHT.get(b, i) ^ (ONES * '\n');
            long found = (other - ONES) & ~other & HIGHS;
            if (found != 0) {
                return i + (Long.numberOfTrailingZeros(found) >>> 3);
            }
            i += Long.BYTES;
        }
        while (i < to && b[i] != '\n') {
            i++;
        }
        return i;
    }
}
