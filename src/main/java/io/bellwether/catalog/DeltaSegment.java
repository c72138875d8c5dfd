package io.bellwether.catalog;

import io.bellwether.policy.Sha256;

/**
 * A segment of changes: lines of puts and deletes in key order. Immutable.
 *
 * @param sha256 of the stored bytes, its name
 * @param rawSha256 of its lines
 * @param bytes stored
 * @param rawBytes of its lines
 * @param changes lines in it
 */
public record DeltaSegment(Sha256 sha256, Sha256 rawSha256, long bytes, long rawBytes, int changes) {}
