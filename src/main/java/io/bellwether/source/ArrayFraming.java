package io.bellwether.source;

import java.io.IOException;

/**
 * The elements of one JSON array, on one line or many. It only counts brackets outside of strings to find where an
 * element ends, so that all bytes of it are there before they are parsed. Not thread-safe.
 */
final class ArrayFraming extends Framing {
    private boolean first = true;
    private boolean breaks;
    private long lineFeeds;
    private boolean inElement;
    private boolean endMissing;

    ArrayFraming(FeedWindow window, FeedLimits limits, long line) {
        super(window, limits, line);
        this.lineFeeds = line - 1;
    }

    @Override
    boolean next() throws IOException, JsonFault {
        if (inElement) {
            window.from = end;
            inElement = false;
        }
        byte c = token();
        if (c == ']') {
            window.from++;
            finish();
            return false;
        }
        if (!first) {
            if (c != ',') {
                throw JsonScanner.unexpected(window.bytes, window.from, "',' or ']' after an element of the array");
            }
            window.from++;
            c = token();
        }
        first = false;
        line = lineFeeds + 1;
        if (c != '{') {
            throw new JsonFault(c == ']' || c == ',' ? FeedProblem.NOT_JSON : FeedProblem.BAD_POLICY, window.from,
                    "an element of the array is not a JSON object with the members key and body");
        }
        inElement = true;
        findEnd();
        return true;
    }

    /** Skips white space, however much, and gives the byte that {@code window.from} stands on then. */
    private byte token() throws IOException, JsonFault {
        while (window.has(1)) {
            byte c = window.bytes[window.from];
            if (c == '\n') {
                lineFeeds++;
            } else if (c != ' ' && c != '\r' && c != '\t') {
                return c;
            }
            window.from++;
        }
        line = lineFeeds + 1;
        throw new JsonFault(FeedProblem.TRUNCATED, window.from, "the feed ends inside the array");
    }

    private void finish() throws IOException, JsonFault {
        while (window.has(1)) {
            byte c = window.bytes[window.from];
            if (c == '\n') {
                lineFeeds++;
            } else if (c != ' ' && c != '\r' && c != '\t') {
                line = lineFeeds + 1;
                throw JsonScanner.unexpected(window.bytes, window.from, "nothing (the array has ended)");
            }
            window.from++;
        }
    }

    private void findEnd() throws IOException, JsonFault {
        breaks = false;
        endMissing = true;
        int depth = 0;
        boolean text = false;
        int length = 0;
        while (true) {
            byte[] b = window.bytes;
            int to = window.to;
            int i = window.from + length;
            while (i < to) {
                byte c = b[i++];
                if (text) {
                    if (c == '"') {
                        text = false;
                    } else if (c == '\\') {
                        // The escaped byte is passed over; where it is not there yet, the loop begins again with it.
                        if (i == to) {
                            i--;
                            break;
                        }
                        i++;
                    }
                } else if (c == '"') {
                    text = true;
                } else if (c == '{' || c == '[') {
                    depth++;
                } else if (c == '}' || c == ']') {
                    if (--depth == 0) {
                        end = i;
                        endMissing = false;
                        tooLong(i - window.from);
                        return;
                    }
                } else if (c == '\n') {
                    breaks = true;
                    lineFeeds++;
                } else if (c == '\r') {
                    breaks = true;
                }
            }
            length = i - window.from;
            tooLong(length);
            if (!window.more()) {
                throw new JsonFault(FeedProblem.TRUNCATED, window.to, "the feed ends in the middle of a policy");
            }
        }
    }

    /** Whether the end of an element was looked for in vain. */
    boolean endIsMissing() {
        return endMissing;
    }

    private void tooLong(int length) throws JsonFault {
        if (length > maxBytes) {
            throw new JsonFault(FeedProblem.TOO_LONG, window.from,
                    "an element of the array is longer than " + maxBytes + " bytes");
        }
    }

    @Override
    boolean cutShort() {
        return false;
    }

    /** Line breaks between the tokens become spaces; inside strings there are none, or the body were not JSON. */
    @Override
    void flatten(FeedPolicy policy) {
        if (breaks) {
            byte[] b = policy.bodyBuffer();
            for (int i = policy.bodyOffset(); i < policy.bodyOffset() + policy.bodyLength(); i++) {
                if (b[i] == '\n' || b[i] == '\r') {
                    b[i] = ' ';
                }
            }
        }
    }

    @Override
    long lineFeeds() {
        return lineFeeds;
    }
}
