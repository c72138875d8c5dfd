package io.bellwether.source;

import java.io.Serial;

/** Bytes that are not what they should be, by their place in a buffer; the reader makes a {@link FeedException} of it. */
final class JsonFault extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    private final FeedProblem problem;
    private final int at;
    private final String reason;
    private final long line;

    JsonFault(FeedProblem problem, int at, String reason) {
        this(problem, at, reason, FeedException.NONE);
    }

    /** With the line of the feed, where whoever throws knows better than the reader. */
    JsonFault(FeedProblem problem, int at, String reason, long line) {
        super(reason, null, false, false);
        this.problem = problem;
        this.at = at;
        this.reason = reason;
        this.line = line;
    }

    FeedProblem problem() {
        return problem;
    }

    int at() {
        return at;
    }

    String reason() {
        return reason;
    }

    long line() {
        return line;
    }
}
