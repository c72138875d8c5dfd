package io.bellwether.policy;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/** A SHA-256 digest (FIPS 180-4) as a value. Immutable. */
public final class Sha256 implements Comparable<Sha256> {
    /** Bytes of a digest. */
    public static final int LENGTH = 32;

    private static final HexFormat HEX = HexFormat.of();

    private final byte[] bytes;

    private Sha256(byte[] bytes) {
        this.bytes = bytes;
    }

    /** A fresh digest; every Java platform has to offer SHA-256. */
    public static MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /** The digest of {@code content}. */
    public static Sha256 of(byte[] content) {
        return new Sha256(newDigest().digest(content));
    }

    /** Takes a digest of 32 bytes; the array is copied. */
    public static Sha256 wrap(byte[] digest) {
        if (digest.length != LENGTH) {
            throw new IllegalArgumentException("a SHA-256 has 32 bytes, not " + digest.length);
        }
        return new Sha256(digest.clone());
    }

    /**
     * Reads 64 lower-case hexadecimal digits.
     *
     * @throws IllegalArgumentException if {@code hex} is of another form
     */
    public static Sha256 parse(String hex) {
        if (hex.length() != 2 * LENGTH || !hex.chars().allMatch(c -> c >= '0' && c <= '9' || c >= 'a' && c <= 'f')) {
            throw new IllegalArgumentException("not a SHA-256 in 64 lower-case hexadecimal digits: " + hex);
        }
        return new Sha256(HEX.parseHex(hex));
    }

    /** A copy of the 32 bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** The first of the bytes, 0 to 255, without a copy. */
    public int firstByte() {
        return bytes[0] & 0xff;
    }

    /** 64 lower-case hexadecimal digits. */
    public String hex() {
        return HEX.formatHex(bytes);
    }

    /** Feeds the 32 bytes into {@code digest}. */
    public void update(MessageDigest digest) {
        digest.update(bytes);
    }

    @Override
    public int compareTo(Sha256 other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Sha256 that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return hex();
    }
}
