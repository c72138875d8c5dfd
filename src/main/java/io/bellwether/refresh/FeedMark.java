package io.bellwether.refresh;

import org.jspecify.annotations.Nullable;

import io.bellwether.policy.Sha256;
import io.bellwether.source.Validators;

/**
 * By what the feed behind a head is recognised when it comes again.
 *
 * @param validators the source's own
 * @param feedSha256 of the bytes received, or null if the head is from no feed
 * @param sourceSha256 of the source, for which alone the others mean anything, or null if the head is from no feed
 */
record FeedMark(Validators validators, @Nullable Sha256 feedSha256, @Nullable Sha256 sourceSha256) {
    /** That of a head which no feed brought: whatever the source says next is read. */
    static final FeedMark NONE = new FeedMark(Validators.NONE, null, null);

    static byte @Nullable [] bytes(@Nullable Sha256 hash) {
        return hash == null ? null : hash.bytes();
    }
}
