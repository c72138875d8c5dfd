package io.bellwether.source;

import java.io.IOException;
import java.io.InputStream;

import org.jspecify.annotations.Nullable;

/**
 * Reads the policies of a feed one after another, in the memory of the longest of them. Two forms are read, told apart
 * by the first byte that is no white space: JSON lines (a policy on each, blank lines and CRLF allowed, the last line
 * feed optional) and one JSON array of policies, on one line or many. A byte order mark is skipped. A feed without any
 * policy is not an error here.
 *
 * <p>A policy is {@code {"key":…,"body":…}}. Its body is handed out as it came; in an array, line breaks between its
 * tokens become spaces. JSON is taken to the letter of RFC 8259, and UTF-8 to that of Unicode. Keys that occur twice are
 * the caller's business.
 *
 * <p>Not thread-safe.
 */
public final class FeedReader {
    private final FeedWindow window;
    private final FeedLimits limits;
    private final PolicyParser parser;
    private final FeedPolicy policy = new FeedPolicy();
    private @Nullable Framing framing;
    private boolean ended;
    private long policies;
    private long feedBytes;

    /** Stands before the first policy of a feed that is not compressed. */
    public FeedReader(InputStream in, FeedLimits limits) {
        this.window = new FeedWindow(in, limits);
        this.limits = limits;
        this.parser = new PolicyParser(limits);
    }

    /**
     * Goes on to the next policy.
     *
     * @return the policy, always the same object, valid until the next call; null when the feed has properly ended
     * @throws FeedException if the feed is bad or could not be read on; further calls are not of use then
     */
    public @Nullable FeedPolicy next() throws FeedException {
        if (ended) {
            return null;
        }
        try {
            Framing frames = framing;
            if (frames == null) {
                framing = frames = Framing.of(window, limits);
            }
            if (frames == null || !frames.next()) {
                ended = true;
                feedBytes = window.offset(window.to);
                return null;
            }
            parser.parse(window.bytes, window.from, frames.end, policy);
            frames.flatten(policy);
            policy.setPlace(frames.line, window.offset(window.from));
            feedBytes = window.offset(frames.end);
            policies++;
            return policy;
        } catch (JsonFault fault) {
            throw explain(fault);
        } catch (FeedException e) {
            throw e.at(lines() + 1, window.offset(window.to));
        } catch (IOException e) {
            String what = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
            throw new FeedException(FeedProblem.BROKEN_OFF, "cannot be read on: " + what, lines() + 1,
                    window.offset(window.to), e);
        }
    }

    /** Policies handed out so far. */
    public long policies() {
        return policies;
    }

    /** Bytes of the feed read so far, after decompression. */
    public long feedBytes() {
        return feedBytes;
    }

    /** Lines of the feed so far; after the end, the number of its lines (a last one without line feed counts). */
    public long lines() {
        Framing frames = framing;
        if (frames == null) {
            return 0;
        }
        boolean open = ended && window.to > 0 && window.bytes[window.to - 1] != '\n';
        return frames.lineFeeds() + (open ? 1 : 0);
    }

    private FeedException explain(JsonFault fault) {
        Framing frames = framing;
        if (frames == null) {
            return new FeedException(fault.problem(), fault.reason(), fault.line(), window.offset(fault.at()), null);
        }
        return switch (frames) {
            case LineFraming lines -> inLine(lines, fault);
            case ArrayFraming array -> inArray(array, array.endIsMissing() ? lookCloser(fault) : fault);
        };
    }

    private FeedException inLine(LineFraming frames, JsonFault fault) {
        boolean endsEarly = fault.problem() == FeedProblem.TRUNCATED && !frames.cutShort();
        FeedProblem problem = endsEarly ? FeedProblem.NOT_JSON : fault.problem();
        return new FeedException(problem, fault.reason(), frames.line, window.offset(fault.at()), null);
    }

    private FeedException inArray(ArrayFraming frames, JsonFault fault) {
        long line = frames.line;
        for (int i = window.from; i < fault.at(); i++) {
            line += window.bytes[i] == '\n' ? 1 : 0;
        }
        return new FeedException(fault.problem(), fault.reason(), line, window.offset(fault.at()), null);
    }

    /** An element of an array seems to have no end when a quote or a bracket is missing in it: that is the better news. */
    private JsonFault lookCloser(JsonFault fault) {
        try {
            parser.parse(window.bytes, window.from, window.to, policy);
            return fault;
        } catch (JsonFault inside) {
            boolean same = inside.problem() == FeedProblem.TRUNCATED || inside.problem() == FeedProblem.TOO_LONG;
            return same ? fault : inside;
        }
    }
}
