package io.bellwether.source;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/**
 * A URL that a feed may be at. Immutable.
 *
 * @param uri absolute, with a scheme of {@code http}, {@code https} or {@code file} in lower case
 */
record SourceUrl(URI uri) {
    private static final int LONGEST = 2_048;

    /** Reads a URL as an operator wrote it. */
    static SourceUrl parse(String text) throws FeedException {
        if (text.length() > LONGEST) {
            throw bad("the source URL is longer than " + LONGEST + " characters");
        }
        try {
            return of(new URI(text));
        } catch (URISyntaxException e) {
            throw bad("the source URL is none: " + e.getReason() + " at character " + (e.getIndex() + 1));
        }
    }

    private static SourceUrl of(URI uri) throws FeedException {
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        if (!scheme.equals("http") && !scheme.equals("https") && !scheme.equals("file")) {
            throw bad("the source URL must begin with http:, https: or file:");
        }
        if (uri.getRawUserInfo() != null) {
            throw bad("the source URL must not hold a user or password; they belong into a header");
        }
        if (uri.getRawFragment() != null) {
            throw bad("the source URL must not have a part after '#'");
        }
        if (!scheme.equals("file") && uri.getHost() == null) {
            throw bad("the source URL has no host, or one that is no host name");
        }
        if (HostRule.isDisguisedAddress(HostRule.normal(String.valueOf(uri.getHost())))) {
            throw bad("the source URL's host must be a name, or an address in full decimal or hexadecimal digits");
        }
        if (uri.getPort() == 0 || uri.getPort() > 65_535) {
            throw bad("the source URL has port " + uri.getPort());
        }
        return new SourceUrl(uri);
    }

    /** Where a redirect leads. */
    SourceUrl resolve(String location) throws FeedException {
        try {
            URI target = uri.resolve(new URI(location));
            if (target.getRawFragment() != null) {
                // Fragments are for people; RFC 9110, 10.2.2 allows them in a Location.
                target = new URI(target.toString().substring(0, target.toString().indexOf('#')));
            }
            return of(target);
        } catch (URISyntaxException e) {
            throw new FeedException(FeedProblem.BAD_REDIRECT, this + " redirects to what is no URL");
        } catch (FeedException e) {
            throw new FeedException(FeedProblem.BAD_REDIRECT, this + " redirects elsewhere, but " + e.reason());
        }
    }

    boolean isFile() {
        return scheme().equals("file");
    }

    String scheme() {
        String scheme = uri.getScheme();
        return scheme == null ? "" : scheme.toLowerCase(Locale.ROOT);
    }

    /** The host in lower case, without the brackets of an IPv6 address and without a final dot. */
    String host() {
        String host = uri.getHost();
        return host == null ? "" : HostRule.normal(host);
    }

    /** The host as the HTTP client will look it up, to the dot: the check has to ask the same question. */
    String lookUpName() {
        String host = uri.getHost();
        return host == null ? "" : host.startsWith("[") ? host() : host;
    }

    /** The port, also where it goes without saying. */
    int port() {
        return uri.getPort() >= 0 ? uri.getPort() : scheme().equals("https") ? 443 : 80;
    }

    /** Scheme, host and port: what secrets may be sent to. */
    String origin() {
        return scheme() + "://" + host() + ":" + port();
    }

    /** For people: without the query, which often holds a signature or a key. */
    @Override
    public String toString() {
        String text = uri.toString();
        int query = text.indexOf('?');
        return query < 0 ? text : text.substring(0, query) + "?…";
    }

    private static FeedException bad(String reason) {
        return new FeedException(FeedProblem.BAD_REQUEST, reason);
    }
}
