package io.bellwether.source;

import java.security.MessageDigest;
import java.util.Arrays;

/**
 * A view of the policy that a {@link FeedReader} stands on, valid until its next step. Key and body lie in buffers that
 * the reader overwrites then; they must not be changed. Not thread-safe.
 */
public final class FeedPolicy {
    private static final byte[] NOTHING = {};

    private byte[] keyBuffer = NOTHING;
    private int keyOffset;
    private int keyLength;
    private byte[] bodyBuffer = NOTHING;
    private int bodyOffset;
    private int bodyLength;
    private long line;
    private long offset;

    FeedPolicy() {}

    void setKey(byte[] buffer, int from, int to) {
        keyBuffer = buffer;
        keyOffset = from;
        keyLength = to - from;
    }

    void setBody(byte[] buffer, int from, int to) {
        bodyBuffer = buffer;
        bodyOffset = from;
        bodyLength = to - from;
    }

    void setPlace(long feedLine, long feedOffset) {
        line = feedLine;
        offset = feedOffset;
    }

    /** The array that holds the key's UTF-8 bytes, unescaped. */
    public byte[] keyBuffer() {
        return keyBuffer;
    }

    /** Where the key begins in {@link #keyBuffer()}. */
    public int keyOffset() {
        return keyOffset;
    }

    /** The length of the key in bytes, 1 to 512. */
    public int keyLength() {
        return keyLength;
    }

    /** A copy of the key. */
    public byte[] copyKey() {
        return Arrays.copyOfRange(keyBuffer, keyOffset, keyOffset + keyLength);
    }

    /** Feeds the key's bytes into {@code digest}. */
    public void updateWithKey(MessageDigest digest) {
        digest.update(keyBuffer, keyOffset, keyLength);
    }

    /** The array that holds the body's bytes, as they came (without line breaks if they came in a JSON array). */
    public byte[] bodyBuffer() {
        return bodyBuffer;
    }

    /** Where the body begins in {@link #bodyBuffer()}. */
    public int bodyOffset() {
        return bodyOffset;
    }

    /** The length of the body in bytes, at least 1. */
    public int bodyLength() {
        return bodyLength;
    }

    /** A copy of the body. */
    public byte[] copyBody() {
        return Arrays.copyOfRange(bodyBuffer, bodyOffset, bodyOffset + bodyLength);
    }

    /** Feeds the body's bytes into {@code digest}. */
    public void updateWithBody(MessageDigest digest) {
        digest.update(bodyBuffer, bodyOffset, bodyLength);
    }

    /** The line of the feed on which the policy begins, from 1. */
    public long line() {
        return line;
    }

    /** Where in the feed the policy begins, in bytes after decompression. */
    public long offset() {
        return offset;
    }
}
