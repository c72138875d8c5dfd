package io.bellwether.policy;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * Walks over canonical lines as {@link PolicyLine} writes them: those of a segment and those of a delta. It stands
 * before the first line at first. Not thread safe.
 *
 * <p>It trusts nothing: whatever is not a canonical line is an {@link IllegalArgumentException} that names the offset.
 */
public final class PolicyLines {
    private static final byte[] KEY = ascii("{\"key\":\"");
    private static final byte[] PUT = ascii("{\"op\":\"put\",\"key\":\"");
    private static final byte[] DELETE = ascii("{\"op\":\"del\",\"key\":\"");
    private static final byte[] BODY = ascii(",\"body\":");
    private static final String HEX = "0123456789abcdef";

    private final byte[] lines;
    private final int length;
    private int offset;
    private int end;
    private byte[] key = {};
    private int bodyOffset;
    private boolean delete;

    /** Over the first {@code length} bytes of {@code lines}, which is not copied. */
    public PolicyLines(byte[] lines, int length) {
        this.lines = lines;
        this.length = length;
    }

    /**
     * Goes on to the next line.
     *
     * @return false at the end
     */
    public boolean next() {
        if (end == length) {
            return false;
        }
        offset = end;
        int at = begin();
        at = readKey(at);
        if (delete) {
            bodyOffset = at;
            end = at + 2;
            if (end > length || lines[at] != '}' || lines[at + 1] != '\n') {
                throw bad(at, "the end of a delete");
            }
            return true;
        }
        if (!at(BODY, at)) {
            throw bad(at, "a body");
        }
        bodyOffset = at + BODY.length;
        int feed = bodyOffset;
        while (feed < length && lines[feed] != '\n') {
            feed++;
        }
        if (feed == length || feed - 1 <= bodyOffset || lines[feed - 1] != '}') {
            throw bad(feed, "the end of a line");
        }
        end = feed + 1;
        return true;
    }

    private int begin() {
        delete = at(DELETE, offset);
        if (delete) {
            return offset + DELETE.length;
        }
        if (at(KEY, offset)) {
            return offset + KEY.length;
        }
        if (at(PUT, offset)) {
            return offset + PUT.length;
        }
        throw bad(offset, "the beginning of a line");
    }

    /** Takes the key that begins at {@code from}; returns the place behind its closing quote. */
    private int readKey(int from) {
        int at = from;
        while (at < length && lines[at] != '"' && lines[at] != '\\') {
            at++;
        }
        if (at < length && lines[at] == '"') {
            key = Arrays.copyOfRange(lines, from, at);
            return at + 1;
        }
        ByteArrayOutputStream unescaped = new ByteArrayOutputStream(64);
        unescaped.write(lines, from, at - from);
        while (at < length && lines[at] != '"') {
            if (lines[at] == '\\') {
                at = unescape(at + 1, unescaped);
            } else {
                unescaped.write(lines[at++]);
            }
        }
        if (at == length) {
            throw bad(at, "the end of a key");
        }
        key = unescaped.toByteArray();
        return at + 1;
    }

    private int unescape(int at, ByteArrayOutputStream out) {
        switch (at < length ? lines[at] : 0) {
            case '"', '\\' -> out.write(lines[at]);
            case 'b' -> out.write('\b');
            case 't' -> out.write('\t');
            case 'n' -> out.write('\n');
            case 'f' -> out.write('\f');
            case 'r' -> out.write('\r');
            case 'u' -> {
                int high = at + 4 < length ? HEX.indexOf(lines[at + 3]) : -1;
                int low = at + 4 < length ? HEX.indexOf(lines[at + 4]) : -1;
                if (high < 0 || low < 0 || lines[at + 1] != '0' || lines[at + 2] != '0') {
                    throw bad(at, "a control character");
                }
                out.write(high << 4 | low);
                return at + 5;
            }
            default -> throw bad(at, "an escaped character");
        }
        return at + 1;
    }

    private boolean at(byte[] text, int from) {
        return from + text.length <= length && Arrays.equals(lines, from, from + text.length, text, 0, text.length);
    }

    private IllegalArgumentException bad(int at, String expected) {
        return new IllegalArgumentException(
                String.format(Locale.ROOT, "not a canonical line: %s expected at byte %d", expected, at));
    }

    /** The key of this line, unescaped; an array of its own. */
    public byte[] key() {
        return key;
    }

    /** Whether this line of a delta deletes the policy; there is no body then. */
    public boolean isDelete() {
        return delete;
    }

    /** Where this line begins. */
    public int offset() {
        return offset;
    }

    /** The length of this line in bytes, its line feed included. */
    public int length() {
        return end - offset;
    }

    /** Where the body of this line begins. */
    public int bodyOffset() {
        return bodyOffset;
    }

    /** The length of the body of this line in bytes. */
    public int bodyLength() {
        return delete ? 0 : end - 2 - bodyOffset;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
