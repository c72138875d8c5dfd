package io.bellwether.feed;

/**
 * A small pseudo-random sequence on integers alone (SplitMix64, Steele, Lea and Flood 2014), thrown anew for each
 * policy. Not thread-safe.
 */
final class Dice {
    private static final long GAMMA = 0x9e3779b97f4a7c15L;

    private long state;

    /** Starts the sequence that belongs to these two numbers. */
    void reset(long seed, long stream) {
        state = mix(seed + GAMMA) ^ mix(stream * GAMMA + 1);
    }

    long next() {
        state += GAMMA;
        return mix(state);
    }

    /** A number from 0 to {@code bound - 1}; the bias below one in 2^40 does not matter here. */
    int below(int bound) {
        return (int) (((next() >>> 32) * bound) >>> 32);
    }

    /** True once in {@code times} throws. */
    boolean oneIn(int times) {
        return below(times) == 0;
    }

    <T> T of(T[] choices) {
        return choices[below(choices.length)];
    }

    static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
