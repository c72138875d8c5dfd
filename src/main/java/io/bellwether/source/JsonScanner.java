package io.bellwether.source;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Checks that bytes are JSON (RFC 8259) in well-formed UTF-8, to the letter, and finds where a value ends. It makes no
 * values and no garbage and does not recurse. What it does not judge, because RFC 8259 does not: names that occur twice
 * in an object, and escapes that name half a surrogate pair. Not thread-safe.
 */
final class JsonScanner {
    private static final VarHandle EIGHT = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGHS = 0x8080808080808080L;
    private static final byte[] TRUE = "true".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] FALSE = "false".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NULL = "null".getBytes(StandardCharsets.US_ASCII);

    private final int maxNumber;
    /** For each level of nesting whether it is an object. */
    private final boolean[] objects;
    private boolean escaped;
    private int nameEnd;

    JsonScanner(FeedLimits limits) {
        this.maxNumber = limits.numberBytes();
        this.objects = new boolean[limits.depth()];
    }

    /** Whether the last string skipped had an escape. */
    boolean escaped() {
        return escaped;
    }

    /** The index of the closing quote of the last name skipped by {@link #name}. */
    int nameEnd() {
        return nameEnd;
    }

    /** The index of the first byte at or after {@code from} that is no white space, or {@code end}. */
    static int white(byte[] b, int from, int end) {
        int i = from;
        while (i < end && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t')) {
            i++;
        }
        return i;
    }

    /** Skips white space, which must not be all there is. */
    static int token(byte[] b, int from, int end) throws JsonFault {
        int i = white(b, from, end);
        if (i == end) {
            throw truncated(end);
        }
        return i;
    }

    /**
     * Skips one value.
     *
     * @param from where it begins, or white space before it
     * @return the index after it
     */
    int value(byte[] b, int from, int end) throws JsonFault {
        int depth = 0;
        int i = from;
        while (true) {
            i = token(b, i, end);
            switch (b[i]) {
                case '"' -> i = string(b, i, end);
                case '{', '[' -> {
                    boolean object = b[i] == '{';
                    if (depth == objects.length) {
                        throw new JsonFault(FeedProblem.TOO_DEEP, i, "is nested deeper than " + depth + " levels");
                    }
                    int inside = token(b, i + 1, end);
                    if (b[inside] == (object ? '}' : ']')) {
                        i = inside + 1;
                    } else {
                        objects[depth++] = object;
                        i = object ? name(b, inside, end) : inside;
                        continue;
                    }
                }
                case 't' -> i = literal(b, i, end, TRUE);
                case 'f' -> i = literal(b, i, end, FALSE);
                case 'n' -> i = literal(b, i, end, NULL);
                case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> i = number(b, i, end);
                default -> throw unexpected(b, i, "a value");
            }
            while (depth > 0) {
                i = token(b, i, end);
                boolean object = objects[depth - 1];
                byte c = b[i++];
                if (c == ',') {
                    if (object) {
                        i = name(b, token(b, i, end), end);
                    }
                    break;
                }
                if (c != (object ? '}' : ']')) {
                    throw unexpected(b, i - 1, object ? "',' or '}'" : "',' or ']'");
                }
                depth--;
            }
            if (depth == 0) {
                return i;
            }
        }
    }

    /** Skips a name and the colon after it. */
    int name(byte[] b, int from, int end) throws JsonFault {
        if (b[from] != '"') {
            throw unexpected(b, from, "a name in quotes");
        }
        int after = string(b, from, end);
        nameEnd = after - 1;
        int i = token(b, after, end);
        if (b[i] != ':') {
            throw unexpected(b, i, "':'");
        }
        return i + 1;
    }

    /** Skips the string whose opening quote is at {@code from}, and notes whether it has an escape. */
    int string(byte[] b, int from, int end) throws JsonFault {
        escaped = false;
        int i = from + 1;
        while (true) {
            while (i + Long.BYTES <= end) {
                long special = special((long) EIGHT.get(b, i));
                if (special != 0) {
                    i += Long.numberOfTrailingZeros(special) >>> 3;
                    break;
                }
                i += Long.BYTES;
            }
            if (i >= end) {
                throw truncated(end);
            }
            byte c = b[i];
            if (c == '"') {
                return i + 1;
            }
            if (c == '\\') {
                escaped = true;
                i = escape(b, i + 1, end);
            } else if (c < 0) {
                i = Utf8.skip(b, i, end);
            } else if (c < ' ') {
                throw new JsonFault(FeedProblem.NOT_JSON, i, "control character 0x" + Integer.toHexString(c)
                        + " inside a string, where JSON wants an escape");
            } else {
                i++;
            }
        }
    }

    /**
     * The high bit of each of eight bytes that ends a plain run of a string: quote, backslash, below 0x20, above 0x7f.
     * Bits above the lowest one set may be wrong; the lowest is exact (Warren, Hacker's Delight, 6-1).
     */
    private static long special(long eight) {
        long quote = eight ^ (ONES * '"');
        long slash = eight ^ (ONES * '\\');
        long control = (eight - ONES * ' ') & ~eight;
        return (((quote - ONES) & ~quote) | ((slash - ONES) & ~slash) | control | eight) & HIGHS;
    }

    private static int escape(byte[] b, int i, int end) throws JsonFault {
        if (i >= end) {
            throw truncated(end);
        }
        switch (b[i]) {
            case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> {
                return i + 1;
            }
            case 'u' -> {
                for (int k = i + 1; k <= i + 4; k++) {
                    if (k >= end) {
                        throw truncated(end);
                    }
                    if (Character.digit(b[k], 16) < 0) {
                        throw unexpected(b, k, "a hexadecimal digit");
                    }
                }
                return i + 5;
            }
            default -> throw unexpected(b, i, "an escape that JSON knows");
        }
    }

    private int number(byte[] b, int from, int end) throws JsonFault {
        int i = b[from] == '-' ? from + 1 : from;
        if (i < end && b[i] == '0') {
            i++;
        } else {
            i = digits(b, i, end);
        }
        if (i < end && b[i] == '.') {
            i = digits(b, i + 1, end);
        }
        if (i < end && (b[i] == 'e' || b[i] == 'E')) {
            i++;
            if (i < end && (b[i] == '+' || b[i] == '-')) {
                i++;
            }
            i = digits(b, i, end);
        }
        if (i - from > maxNumber) {
            throw new JsonFault(FeedProblem.TOO_LONG, from, "a number is longer than " + maxNumber + " bytes");
        }
        return i;
    }

    private static int digits(byte[] b, int from, int end) throws JsonFault {
        int i = from;
        while (i < end && b[i] >= '0' && b[i] <= '9') {
            i++;
        }
        if (i == end && i == from) {
            throw truncated(end);
        }
        if (i == from) {
            throw unexpected(b, i, "a digit");
        }
        return i;
    }

    private static int literal(byte[] b, int from, int end, byte[] literal) throws JsonFault {
        for (int k = 1; k < literal.length; k++) {
            if (from + k >= end) {
                throw truncated(end);
            }
            if (b[from + k] != literal[k]) {
                throw unexpected(b, from + k, "'" + new String(literal, StandardCharsets.US_ASCII) + "'");
            }
        }
        return from + literal.length;
    }

    private static JsonFault truncated(int end) {
        return new JsonFault(FeedProblem.TRUNCATED, end, "ends in the middle of a policy");
    }

    static JsonFault unexpected(byte[] b, int at, String wanted) {
        int c = b[at] & 0xff;
        String found = c > ' ' && c < 0x7f ? "'" + (char) c + "'" : "byte 0x" + Integer.toHexString(c);
        return new JsonFault(FeedProblem.NOT_JSON, at, "is not JSON: " + found + " where " + wanted + " should be");
    }
}
