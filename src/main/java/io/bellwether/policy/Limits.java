package io.bellwether.policy;

/** The sizes that hold everywhere, in bytes unless said otherwise. */
public final class Limits {
    /** The longest key, as UTF-8. */
    public static final int MAX_KEY_BYTES = 512;

    /** The longest body of one policy. */
    public static final int MAX_BODY_BYTES = 16 << 20;

    /** The longest line of a feed: a body, its key with every character escaped, and room for other members. */
    public static final int MAX_LINE_BYTES = MAX_BODY_BYTES + (64 << 10);

    /** What a segment should have on average, in bytes of lines, when the cut rule is chosen. */
    public static final int SEGMENT_RAW_TARGET_BYTES = 32 << 10;

    /** What a segment of changes should have, in bytes of lines: those are read from first to last, and never rebuilt. */
    public static final int DELTA_RAW_TARGET_BYTES = 384 << 10;

    /** The largest body of an administrative request. */
    public static final int MAX_ADMIN_BODY_BYTES = 1 << 20;

    private Limits() {}
}
