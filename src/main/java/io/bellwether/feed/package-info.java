/**
 * The synthetic feed: realistic access policies out of thin air, the same bytes for the same seed on every machine.
 *
 * <p>
 * Load tests, the demo upstream and {@code bellwether feed generate} all read the one generator, so a number measured
 * with one of them can be repeated with another. The invariant: line <em>i</em> of a feed is a pure function of (seed,
 * number of policies, generation, <em>i</em>). Nothing is remembered between lines, so ten million policies cost the
 * memory of one, and the state after any number of changes is computed, not replayed. All arithmetic is on integers;
 * the rejected way, {@code java.util.Random} with logarithms for the long tail, is at the mercy of how a machine rounds.
 */
@NullMarked
package io.bellwether.feed;

import org.jspecify.annotations.NullMarked;
