package io.bellwether.source;

/** UTF-8 as the Unicode Standard defines it (table 3-7): no overlong forms, no surrogates, nothing above U+10FFFF. */
final class Utf8 {
    private Utf8() {}

    /**
     * Skips well-formed characters beyond ASCII.
     *
     * @return the index of the first ASCII byte, or {@code end}
     */
    static int skip(byte[] bytes, int from, int end) throws JsonFault {
        int i = from;
        while (i < end && bytes[i] < 0) {
            int lead = bytes[i] & 0xff;
            int length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
            if (lead < 0xc2 || lead > 0xf4) {
                throw bad(bytes, i);
            }
            if (i + 1 >= end) {
                throw new JsonFault(FeedProblem.TRUNCATED, i, "ends in the middle of a character");
            }
            int second = bytes[i + 1] & 0xff;
            int least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
            int most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
            if (second < least || second > most) {
                throw bad(bytes, i);
            }
            for (int k = 2; k < length; k++) {
                if (i + k >= end) {
                    throw new JsonFault(FeedProblem.TRUNCATED, i, "ends in the middle of a character");
                }
                if ((bytes[i + k] & 0xc0) != 0x80) {
                    throw bad(bytes, i);
                }
            }
            i += length;
        }
        return i;
    }

    /**
     * Writes one character.
     *
     * @return the index after it, or -1 if it does not fit
     */
    static int encode(int character, byte[] out, int at) {
        int length = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
        if (at + length > out.length) {
            return -1;
        }
        if (length == 1) {
            out[at] = (byte) character;
            return at + 1;
        }
        int rest = character;
        for (int k = length - 1; k > 0; k--) {
            out[at + k] = (byte) (0x80 | rest & 0x3f);
            rest >>>= 6;
        }
        out[at] = (byte) (0xf00 >>> length | rest);
        return at + length;
    }

    private static JsonFault bad(byte[] bytes, int at) {
        return new JsonFault(FeedProblem.BAD_UTF8, at,
                "byte 0x" + Integer.toHexString(bytes[at] & 0xff) + " begins no character of UTF-8");
    }
}
