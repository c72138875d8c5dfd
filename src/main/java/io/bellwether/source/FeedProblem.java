package io.bellwether.source;

/** The ways in which getting or reading a feed fails; a closed set. */
public enum FeedProblem {
    /** The bytes are not the JSON that was expected there. */
    NOT_JSON,
    /** The feed ends in the middle of something: a line, an array, a gzip member. */
    TRUNCATED,
    /** A policy is no object, or lacks a member, or has one twice. */
    BAD_POLICY,
    /** A key is no string, empty, too long, or holds U+0000 or half a surrogate pair. */
    BAD_KEY,
    /** The bytes are not UTF-8. */
    BAD_UTF8,
    /** A line, a body or a number is longer than allowed. */
    TOO_LONG,
    /** JSON is nested deeper than allowed. */
    TOO_DEEP,
    /** The feed is larger than allowed, as received or decompressed. */
    TOO_LARGE,
    /** It is a web page (an error page or a login form, most likely). */
    HTML,
    /** Compressed data is damaged, or of a kind not supported. */
    BAD_COMPRESSION,
    /** No connection, no such host, no such file, or a certificate that does not verify. */
    UNREACHABLE,
    /** Connecting, the answer's first byte, its next byte or the whole took too long. */
    TIMEOUT,
    /** The upstream answered with a status that is no success. */
    HTTP_STATUS,
    /** A redirect that leads nowhere, in a circle, or from https to http. */
    BAD_REDIRECT,
    /** The connection ended or the disk failed in the middle of the body. */
    BROKEN_OFF,
    /** A file was changed while it was read. */
    CHANGED,
    /** The operator's settings do not allow this source. */
    NOT_ALLOWED,
    /** The URL or a header cannot be used. */
    BAD_REQUEST,
    /** The reading thread was interrupted, or the feed closed by another thread. */
    STOPPED;

    /**
     * Whether the feed itself is bad, so that a run that met it is refused; otherwise the feed could not be had, and the
     * run failed.
     */
    public boolean isContent() {
        return compareTo(BAD_COMPRESSION) <= 0;
    }
}
