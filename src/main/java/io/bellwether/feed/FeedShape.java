package io.bellwether.feed;

/**
 * What a synthetic feed looks like: how many policies, drawn from which seed, and how far it has moved since.
 *
 * <p>
 * Generation 0 is the feed as first drawn. Each further generation changes the next {@code change} share of it: of ten
 * policies touched, eight get a new body, one is deleted and one is added beside an old one, so that a feed keeps its
 * number of lines. A policy touched in one generation is touched again only after all others were.
 *
 * @param policies
 *            number of lines, 1 to 10,000,000
 * @param seed
 *            any number; another seed gives other keys and other bodies
 * @param change
 *            share of the policies that each generation touches, 0 to 1; above 0 it is at least one policy
 * @param generation
 *            how often that share has changed, 0 to 1,000,000,000
 */
public record FeedShape(long policies, long seed, double change, long generation) {
    /** The most policies a feed can have. */
    public static final long MAX_POLICIES = 10_000_000;

    private static final long MAX_GENERATION = 1_000_000_000;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException
     *             with a sentence for the person who asked, if a value is out of range
     */
    public FeedShape {
        if (policies < 1 || policies > MAX_POLICIES) {
            throw new IllegalArgumentException("policies must be 1 to " + MAX_POLICIES + ", not " + policies);
        }
        if (!(change >= 0 && change <= 1)) {
            throw new IllegalArgumentException("the share that changes must be 0 to 1, not " + change);
        }
        if (generation < 0 || generation > MAX_GENERATION) {
            throw new IllegalArgumentException("the generation must be 0 to " + MAX_GENERATION + ", not " + generation);
        }
    }

    /** The feed as first drawn: {@code policies} lines from {@code seed}. */
    public static FeedShape of(long policies, long seed) {
        return new FeedShape(policies, seed, 0, 0);
    }

    /** The same feed after {@code share} of it changed once. */
    public FeedShape changedBy(double share) {
        return new FeedShape(policies, seed, share, 1);
    }

    /** The same feed, touched by its share of change {@code number} times since it was drawn. */
    public FeedShape atGeneration(long number) {
        return new FeedShape(policies, seed, change, number);
    }

    /** How many policies each generation touches. */
    long changedPerGeneration() {
        return change == 0 ? 0 : Math.max(1, Math.round(change * policies));
    }
}
