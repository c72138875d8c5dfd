package io.bellwether.policy;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * The canonical line of a policy: {@code {"key":"…","body":…}} and a newline, and the two lines of a change feed.
 *
 * <p>Two processes that hold the same policy must write the same bytes, so there is one way to escape a key: {@code "},
 * {@code \} and the control characters below U+0020 (JSON, RFC 8259 section 7), the short form where there is one,
 * lower-case {@code \}{@code u00xx} otherwise; everything else as the UTF-8 it is. The body is copied.
 */
public final class PolicyLine {
    private static final byte[] KEY = ascii("{\"key\":");
    private static final byte[] PUT = ascii("{\"op\":\"put\",\"key\":");
    private static final byte[] DELETE = ascii("{\"op\":\"del\",\"key\":");
    private static final byte[] BODY = ascii(",\"body\":");
    private static final byte[] END = ascii("}\n");
    private static final byte[] HEX = ascii("0123456789abcdef");

    private PolicyLine() {}

    /** Appends the line of a policy. */
    public static void append(ByteArrayOutputStream out, byte[] key, byte[] body, int offset, int length) {
        out.writeBytes(KEY);
        appendKey(out, key);
        out.writeBytes(BODY);
        out.write(body, offset, length);
        out.writeBytes(END);
    }

    /** Appends the line of a change feed that puts a policy. */
    public static void appendPut(ByteArrayOutputStream out, byte[] key, byte[] body, int offset, int length) {
        out.writeBytes(PUT);
        appendKey(out, key);
        out.writeBytes(BODY);
        out.write(body, offset, length);
        out.writeBytes(END);
    }

    /** Appends the line of a change feed that deletes a policy. */
    public static void appendDelete(ByteArrayOutputStream out, byte[] key) {
        out.writeBytes(DELETE);
        appendKey(out, key);
        out.writeBytes(END);
    }

    /** Appends a key as a JSON string, quotes included. */
    public static void appendKey(ByteArrayOutputStream out, byte[] key) {
        out.write('"');
        int from = 0;
        for (int i = 0; i < key.length; i++) {
            int b = key[i] & 0xff;
            if (b >= 0x20 && b != '"' && b != '\\') {
                continue;
            }
            out.write(key, from, i - from);
            from = i + 1;
            out.write('\\');
            switch (b) {
                case '"', '\\' -> out.write(b);
                case '\b' -> out.write('b');
                case '\t' -> out.write('t');
                case '\n' -> out.write('n');
                case '\f' -> out.write('f');
                case '\r' -> out.write('r');
                default -> {
                    out.write('u');
                    out.write('0');
                    out.write('0');
                    out.write(HEX[b >> 4]);
                    out.write(HEX[b & 15]);
                }
            }
        }
        out.write(key, from, key.length - from);
        out.write('"');
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
