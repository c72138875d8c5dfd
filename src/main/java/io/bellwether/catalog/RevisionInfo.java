package io.bellwether.catalog;

import java.time.Instant;

import io.bellwether.policy.Sha256;

/**
 * What is known of a kept revision without its manifest. Immutable.
 *
 * @param revision its number
 * @param policies in it
 * @param bytes of its segments as stored
 * @param rawBytes of its lines
 * @param contentSha256 over the raw hashes of its segments
 * @param upserts policies put since the revision before
 * @param deletes policies deleted since the revision before
 * @param hasDelta whether the changes since the revision before are kept
 * @param publishedAt when
 * @param process which process published it
 */
public record RevisionInfo(long revision, long policies, long bytes, long rawBytes, Sha256 contentSha256, long upserts,
        long deletes, boolean hasDelta, Instant publishedAt, String process) {}
