package io.bellwether.source;

import java.io.IOException;
import java.io.Serial;

import org.jspecify.annotations.Nullable;

/**
 * A feed could not be had or read. The message is one sentence for the operator: where, and what is wrong there. It holds
 * no header value and no query of a URL, but may quote a few words of what the upstream sent.
 */
public final class FeedException extends IOException {
    /** The value of {@link #line()} and {@link #offset()} where there is none. */
    public static final long NONE = -1;

    @Serial
    private static final long serialVersionUID = 1L;

    private final FeedProblem problem;
    private final String reason;
    private final long line;
    private final long offset;

    /** A failure that has no place in the feed. */
    public FeedException(FeedProblem problem, String reason) {
        this(problem, reason, NONE, NONE, null);
    }

    /** A failure that has no place in the feed, with what was thrown underneath. */
    public FeedException(FeedProblem problem, String reason, @Nullable Throwable cause) {
        this(problem, reason, NONE, NONE, cause);
    }

    FeedException(FeedProblem problem, String reason, long line, long offset, @Nullable Throwable cause) {
        super(line == NONE ? reason : "line " + line + ": " + reason + " (byte " + offset + ")", cause);
        this.problem = problem;
        this.reason = reason;
        this.line = line;
        this.offset = offset;
    }

    /** The same failure, with its place in the feed. */
    FeedException at(long feedLine, long feedOffset) {
        return line != NONE ? this : new FeedException(problem, reason, feedLine, feedOffset, this);
    }

    /** What kind of failure it is. */
    public FeedProblem problem() {
        return problem;
    }

    /** What is wrong, without the place. */
    public String reason() {
        return reason;
    }

    /** The line of the feed, from 1, counted by line feeds after decompression; {@link #NONE} outside of a feed. */
    public long line() {
        return line;
    }

    /** The place in the feed in bytes, from 0, after decompression; {@link #NONE} outside of a feed. */
    public long offset() {
        return offset;
    }
}
