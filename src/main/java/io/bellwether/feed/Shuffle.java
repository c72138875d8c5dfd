package io.bellwether.feed;

/**
 * A fixed permutation of 0 … size-1 that needs no table: a four-round Feistel network over the next power of four,
 * walked until the value falls inside. With it "which policies change" is an exact count in a random-looking order.
 * Immutable.
 */
final class Shuffle {
    private static final int ROUNDS = 4;

    private final long size;
    private final long seed;
    private final int halfBits;
    private final long halfMask;

    Shuffle(long size, long seed) {
        this.size = size;
        this.seed = Dice.mix(seed);
        int bits = Long.SIZE - Long.numberOfLeadingZeros(size);
        this.halfBits = Math.max(1, (bits + 1) / 2);
        this.halfMask = (1L << halfBits) - 1;
    }

    /** The place of {@code index} in the shuffled order. */
    long place(long index) {
        long value = index;
        do {
            value = scramble(value);
        } while (value >= size);
        return value;
    }

    private long scramble(long value) {
        long left = value >>> halfBits;
        long right = value & halfMask;
        for (int round = 0; round < ROUNDS; round++) {
            long next = left ^ (Dice.mix(seed + round * 0x632be59bd9b4e019L + right) & halfMask);
            left = right;
            right = next;
        }
        return left << halfBits | right;
    }
}
