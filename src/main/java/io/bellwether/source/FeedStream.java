package io.bellwether.source;

import java.io.IOException;
import java.io.InputStream;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

import io.bellwether.policy.Sha256;

/**
 * A feed that is open: its policies by {@link #next}, and what is known of it. To be closed by the thread that reads it;
 * to stop it from another one, interrupt that thread. Not thread-safe, though a thread of its own reads ahead.
 */
public final class FeedStream implements Opened, AutoCloseable {
    private final Decoding.Decoded decoded;
    private final MeteredInput received;
    private final InputStream ahead;
    private final FeedReader reader;
    private final Transport transport;
    private @Nullable FeedTotals totals;

    /** Where the bytes come from. */
    interface Transport {
        /** The bytes as they arrive; closing them frees what they hold. */
        InputStream body();

        /** The value of {@code Content-Encoding}, or an empty text. */
        String contentEncoding();

        /** Bytes to come in all, if the other side said so. */
        OptionalLong length();

        Validators validators();

        /** Where the feed really is, fit to be shown. */
        String location();

        /** Looks back after the last byte: was what was read all of one piece? */
        void checkWhole() throws FeedException;
    }

    private FeedStream(Transport transport, FeedLimits limits) throws IOException {
        this.transport = transport;
        this.received = new MeteredInput(transport.body(), limits.receivedBytes(), "the feed, as received,",
                Sha256.newDigest());
        this.decoded = Decoding.open(received, transport.contentEncoding(), limits);
        this.ahead = new ReadAhead(decoded.in());
        this.reader = new FeedReader(ahead, limits);
    }

    /** Opens what a transport brings, and closes it if that fails. */
    static FeedStream open(Transport transport, FeedLimits limits) throws IOException {
        long length = transport.length().orElse(0);
        if (length > limits.receivedBytes()) {
            transport.body().close();
            throw new FeedException(FeedProblem.TOO_LARGE,
                    "the feed has " + length + " bytes, more than the " + limits.receivedBytes() + " allowed");
        }
        try {
            return new FeedStream(transport, limits);
        } catch (IOException e) {
            transport.body().close();
            throw e;
        }
    }

    /**
     * Goes on to the next policy.
     *
     * @return the policy, always the same object, valid until the next call; null when the feed has properly ended
     * @throws FeedException if the feed is bad or could not be read on; nothing read before is of any worth then
     */
    public @Nullable FeedPolicy next() throws FeedException {
        FeedPolicy policy = reader.next();
        if (policy == null && totals == null) {
            transport.checkWhole();
            Sha256 sha256 = received.sha256();
            MeteredInput meter = decoded.meter();
            totals = new FeedTotals(sha256, meter == null ? sha256 : meter.sha256(), received.count(),
                    reader.feedBytes(), reader.lines(), reader.policies());
        }
        return policy;
    }

    /**
     * What the feed was.
     *
     * @throws IllegalStateException if it was not read to its end
     */
    public FeedTotals totals() {
        FeedTotals known = totals;
        if (known == null) {
            throw new IllegalStateException("the feed was not read to its end");
        }
        return known;
    }

    /** Bytes received so far. */
    public long receivedBytes() {
        return received.count();
    }

    /** Bytes that will be received in all, where the other side said so. */
    public OptionalLong expectedBytes() {
        return transport.length();
    }

    /** Policies handed out so far. */
    public long policies() {
        return reader.policies();
    }

    /** Bytes of the feed so far, after decompression. */
    public long feedBytes() {
        return reader.feedBytes();
    }

    /** Where the feed came from, after redirects, without the query. */
    public String location() {
        return transport.location();
    }

    @Override
    public Validators validators() {
        return transport.validators();
    }

    /** Ends the transfer, wherever it is. */
    @Override
    public void close() {
        try {
            ahead.close();
        } catch (IOException e) {
            // Everything wanted was read, or another failure is on its way.
        }
    }
}
