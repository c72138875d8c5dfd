package io.bellwether.source;

import java.util.Map;

import io.bellwether.policy.SetDefinition;

/**
 * One attempt to get a feed. {@link #toString} shows no header value.
 *
 * @param url {@code http}, {@code https} or {@code file}
 * @param headers sent to the URL's own origin alone, never on to another one that it redirects to; values are secret
 * @param validators of the feed that is there already, so that an unchanged one need not be sent
 * @param limits on sizes
 * @param timeouts on times
 * @param maxRedirects how many hops are followed
 */
public record SourceRequest(String url, Map<String, String> headers, Validators validators, FeedLimits limits,
        SourceTimeouts timeouts, int maxRedirects) {
    /** Hops followed unless said otherwise. */
    public static final int DEFAULT_REDIRECTS = 5;

    /** Copies the headers. */
    public SourceRequest {
        headers = Map.copyOf(headers);
    }

    /** Asks for a set's source with the default limits. */
    public static SourceRequest of(SetDefinition.Source source, Validators validators) {
        return new SourceRequest(source.url(), source.headers(), validators, FeedLimits.DEFAULT, SourceTimeouts.DEFAULT,
                DEFAULT_REDIRECTS);
    }

    /** Asks for the feed at a URL, whatever it is, with the default limits. */
    public static SourceRequest of(String url) {
        return of(new SetDefinition.Source(url, Map.of()), Validators.NONE);
    }

    /** The same request with other headers. */
    public SourceRequest withHeaders(Map<String, String> others) {
        return new SourceRequest(url, others, validators, limits, timeouts, maxRedirects);
    }

    /** The same request with other validators. */
    public SourceRequest withValidators(Validators others) {
        return new SourceRequest(url, headers, others, limits, timeouts, maxRedirects);
    }

    /** The same request with other limits. */
    public SourceRequest withLimits(FeedLimits others) {
        return new SourceRequest(url, headers, validators, others, timeouts, maxRedirects);
    }

    /** The same request with other time-outs. */
    public SourceRequest withTimeouts(SourceTimeouts others) {
        return new SourceRequest(url, headers, validators, limits, others, maxRedirects);
    }

    @Override
    public String toString() {
        int query = url.indexOf('?');
        return (query < 0 ? url : url.substring(0, query) + "?…") + " with headers " + headers.keySet();
    }
}
