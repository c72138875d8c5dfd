package io.bellwether.source;

import io.bellwether.policy.Sha256;

/**
 * What a feed was, once it was read to its end.
 *
 * @param receivedSha256 of the bytes as they were received, before decompression
 * @param contentSha256 of the bytes after decompression; what {@code curl --compressed URL | sha256sum} says
 * @param receivedBytes as received
 * @param feedBytes after decompression
 * @param lines of the feed, blank ones included
 * @param policies in it
 */
public record FeedTotals(Sha256 receivedSha256, Sha256 contentSha256, long receivedBytes, long feedBytes, long lines,
        long policies) {}
