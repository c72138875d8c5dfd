package io.bellwether.feed;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A growing run of UTF-8 bytes, written to again and again. Not thread-safe. */
final class Text {
    private static final byte[] DIGITS = utf8("0123456789abcdefghijklmnopqrstuvwxyz");

    private byte[] bytes = new byte[8 * 1024];
    private int length;

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Vocabulary lists are kept encoded, because encoding them anew for each policy took most of the time. */
    static byte[][] words(String... words) {
        return Arrays.stream(words).map(Text::utf8).toArray(byte[][]::new);
    }

    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    void clear() {
        length = 0;
    }

    Text add(byte[] more) {
        room(more.length);
        System.arraycopy(more, 0, bytes, length, more.length);
        length += more.length;
        return this;
    }

    Text add(char ascii) {
        room(1);
        bytes[length++] = (byte) ascii;
        return this;
    }

    /** The number in the given base (2 to 36), with leading zeros up to {@code width} digits. */
    Text number(long value, int base, int width) {
        int digits = 1;
        for (long rest = Long.divideUnsigned(value, base); rest != 0; rest = Long.divideUnsigned(rest, base)) {
            digits++;
        }
        digits = Math.max(digits, width);
        room(digits);
        long rest = value;
        for (int at = length + digits - 1; at >= length; at--) {
            bytes[at] = DIGITS[(int) Long.remainderUnsigned(rest, base)];
            rest = Long.divideUnsigned(rest, base);
        }
        length += digits;
        return this;
    }

    Text number(long value) {
        return number(value, 10, 1);
    }

    private void room(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }
}
