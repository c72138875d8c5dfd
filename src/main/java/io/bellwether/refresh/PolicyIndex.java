package io.bellwether.refresh;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * What a set holds, in 33 bytes a policy and the room that hashing needs: the first 16 bytes of the SHA-256 of each key
 * and of its body, and whether the feed brought it. In all 41 to 62 bytes a policy, in small arrays. Not thread safe.
 *
 * <p>Two keys or two bodies with equal first 16 bytes would be taken for equal. By accident that does not happen
 * (2^-65 for a billion policies); whoever can search for such a pair, 2^64 hashes, can write the feed anyway.
 *
 * <p>Open addressing with linear probing in 1,024 tables that grow by themselves by half, so that growing never needs
 * twice the memory. Plain hash maps were rejected: over 150 bytes a policy.
 */
final class PolicyIndex {
    /** How much of a hash counts. */
    static final int HASH_BYTES = 16;

    private static final int SHARD_BITS = 10;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    /** What the feed's policy is to the set. */
    enum Found {
        /** The set does not have the key. */
        NEW,
        /** The set has the key with another body. */
        CHANGED,
        /** The set has just this. */
        SAME,
        /** The feed has had the key before. */
        AGAIN
    }

    private final @Nullable Shard[] shards = new @Nullable Shard[1 << SHARD_BITS];
    private final int firstCapacity;
    private long size;
    private long unseen;

    /**
     * An empty index.
     *
     * @param expected how many policies will be loaded; sizes the tables
     */
    PolicyIndex(long expected) {
        // Four fifths full at four standard deviations above the mean.
        double mean = (double) expected / (1 << SHARD_BITS);
        long perShard = Math.round(mean * 1.25 + 5 * Math.sqrt(mean)) + 8;
        firstCapacity = Math.toIntExact(Math.min(perShard, Shard.MAX_CAPACITY));
    }

    /**
     * Takes a policy that the set holds.
     *
     * @param keySha256 of its key
     * @param bodySha256 array with the hash of its body
     * @param bodyOffset where the hash begins
     * @throws IllegalStateException if it was taken before
     */
    void load(byte[] keySha256, byte[] bodySha256, int bodyOffset) {
        Shard shard = shardOf(keySha256);
        int slot = shard.find(keySha256);
        if (shard.marks[slot] != Shard.EMPTY) {
            throw new IllegalStateException("two keys of the set have equal hashes");
        }
        shard.insert(slot, keySha256, 0, bodySha256, bodyOffset, Shard.UNSEEN);
        size++;
        unseen++;
    }

    /** As {@link #load}, of hashes of which only the part that counts is there; replaces what was taken before. */
    void replace(byte[] hashes, int keyOffset, int bodyOffset) {
        Shard shard = shardOf(hashes, keyOffset);
        int slot = shard.find(hashes, keyOffset);
        if (shard.marks[slot] == Shard.EMPTY) {
            shard.insert(slot, hashes, keyOffset, hashes, bodyOffset, Shard.UNSEEN);
        } else {
            shard.setBody(slot, hashes, bodyOffset);
            if (shard.marks[slot] == Shard.UNSEEN) {
                return;
            }
            shard.marks[slot] = Shard.UNSEEN;
        }
        size++;
        unseen++;
    }

    /**
     * Takes back what was taken of a key.
     *
     * @throws IllegalStateException if nothing was
     */
    void remove(byte[] hashes, int keyOffset) {
        Shard shard = shardOf(hashes, keyOffset);
        int slot = shard.find(hashes, keyOffset);
        if (shard.marks[slot] != Shard.UNSEEN) {
            throw new IllegalStateException("a key that is not there was removed");
        }
        shard.marks[slot] = Shard.REMOVED;
        size--;
        unseen--;
    }

    /** Compares a policy of the feed with what the set holds, and remembers that the feed brought it. */
    Found offer(byte[] keySha256, byte[] bodySha256) {
        Shard shard = shardOf(keySha256);
        int slot = shard.find(keySha256);
        switch (shard.marks[slot]) {
            case Shard.EMPTY -> {
                shard.insert(slot, keySha256, 0, bodySha256, 0, Shard.SEEN);
                size++;
                return Found.NEW;
            }
            case Shard.REMOVED -> {
                shard.setBody(slot, bodySha256, 0);
                shard.marks[slot] = Shard.SEEN;
                size++;
                return Found.NEW;
            }
            case Shard.SEEN -> {
                return Found.AGAIN;
            }
            default -> {
                shard.marks[slot] = Shard.SEEN;
                unseen--;
                return shard.bodyIs(slot, bodySha256) ? Found.SAME : Found.CHANGED;
            }
        }
    }

    /** Policies that the set holds and the feed has not brought. */
    long unseen() {
        return unseen;
    }

    /** Whether the set holds this key and the feed has not brought it; true once for each. */
    boolean takeUnseen(byte[] keyHash, int offset) {
        Shard shard = shardOf(keyHash, offset);
        int slot = shard.find(keyHash, offset);
        if (shard.marks[slot] != Shard.UNSEEN) {
            return false;
        }
        shard.marks[slot] = Shard.TAKEN;
        return true;
    }

    /** Different keys, of the set and of the feed. */
    long size() {
        return size;
    }

    /** Bytes held by the tables. */
    long bytes() {
        return Arrays.stream(shards).mapToLong(shard -> shard == null ? 0 : 33L * shard.marks.length).sum();
    }

    private Shard shardOf(byte[] keySha256) {
        return shardOf(keySha256, 0);
    }

    private Shard shardOf(byte[] keyHash, int offset) {
        int number = ((keyHash[offset + HASH_BYTES - 2] & 0xff) << 8 | keyHash[offset + HASH_BYTES - 1] & 0xff) >>> (16
                - SHARD_BITS);
        Shard shard = shards[number];
        if (shard == null) {
            shards[number] = shard = new Shard(firstCapacity);
        }
        return shard;
    }

    private static final class Shard {
        static final int MAX_CAPACITY = Integer.MAX_VALUE / 8;
        static final byte EMPTY = 0;
        static final byte UNSEEN = 1;
        static final byte SEEN = 2;
        /** Unseen, and told so. */
        static final byte TAKEN = 3;
        /** Empty, but what lies behind it was put there when it was not. */
        static final byte REMOVED = 4;
        private static final int WORDS = 4;

        /** Four words a slot: two of the key's hash, two of the body's. */
        private long[] words;
        private byte[] marks;
        private int used;

        Shard(int capacity) {
            words = new long[capacity * WORDS];
            marks = new byte[capacity];
        }

        /** The slot of the key, or the empty one where it belongs. */
        int find(byte[] keySha256) {
            return find(keySha256, 0);
        }

        int find(byte[] keyHash, int offset) {
            return find((long) LONGS.get(keyHash, offset), (long) LONGS.get(keyHash, offset + 8));
        }

        void setBody(int slot, byte[] bodySha256, int offset) {
            words[slot * WORDS + 2] = (long) LONGS.get(bodySha256, offset);
            words[slot * WORDS + 3] = (long) LONGS.get(bodySha256, offset + 8);
        }

        private int find(long high, long low) {
            int slot = (int) ((high >>> 32) * marks.length >>> 32);
            while (marks[slot] != EMPTY && (words[slot * WORDS] != high || words[slot * WORDS + 1] != low)) {
                slot = slot + 1 == marks.length ? 0 : slot + 1;
            }
            return slot;
        }

        boolean bodyIs(int slot, byte[] bodySha256) {
            return words[slot * WORDS + 2] == (long) LONGS.get(bodySha256, 0)
                    && words[slot * WORDS + 3] == (long) LONGS.get(bodySha256, 8);
        }

        void insert(int slot, byte[] keyHash, int keyOffset, byte[] bodySha256, int bodyOffset, byte mark) {
            words[slot * WORDS] = (long) LONGS.get(keyHash, keyOffset);
            words[slot * WORDS + 1] = (long) LONGS.get(keyHash, keyOffset + 8);
            setBody(slot, bodySha256, bodyOffset);
            marks[slot] = mark;
            used++;
            if (used > marks.length - marks.length / 5) {
                grow();
            }
        }

        private void grow() {
            long[] oldWords = words;
            byte[] oldMarks = marks;
            int capacity = Math.addExact(oldMarks.length, oldMarks.length / 2 + 1);
            words = new long[Math.multiplyExact(capacity, WORDS)];
            marks = new byte[capacity];
            used = 0;
            for (int i = 0; i < oldMarks.length; i++) {
                if (oldMarks[i] != EMPTY && oldMarks[i] != REMOVED) {
                    int slot = find(oldWords[i * WORDS], oldWords[i * WORDS + 1]);
                    System.arraycopy(oldWords, i * WORDS, words, slot * WORDS, WORDS);
                    marks[slot] = oldMarks[i];
                    used++;
                }
            }
        }
    }
}
