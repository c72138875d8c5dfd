/**
 * The vocabulary: sets, keys, digests, segments, manifests, limits. No input or output, no knowledge of storage.
 *
 * <p>The invariant everything else rests on: a revision's content is the sequence of its canonical lines in key order
 * ({@link io.bellwether.policy.PolicyLine}), cut into segments by a rule that looks at one key at a time
 * ({@link io.bellwether.policy.CutRule}), so that equal content always has equal segments, whoever built it and in
 * whatever order the changes came.
 */
@NullMarked
package io.bellwether.policy;

import org.jspecify.annotations.NullMarked;
