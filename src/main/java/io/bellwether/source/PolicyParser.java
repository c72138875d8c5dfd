package io.bellwether.source;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import io.bellwether.policy.Limits;

/**
 * Finds key and body in the bytes of one policy, {@code {"key":…,"body":…}}, with its members in any order. Members of
 * other names are checked and ignored, so that an upstream may add some; one of the two missing or there twice is
 * refused, because which of them was meant is anybody's guess. Not thread-safe.
 */
final class PolicyParser {
    private static final byte[] KEY = "key".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] BODY = "body".getBytes(StandardCharsets.US_ASCII);
    /** More than the longest name of interest, when each of its characters is written as an escape. */
    private static final int LONGEST_NAME = 6 * 4;

    /** What {@link #unescape} answers instead of a length. */
    private static final int TOO_LONG = -1;
    private static final int NUL = -2;
    private static final int SURROGATE = -3;

    private final JsonScanner scanner;
    private final int maxBody;
    private final byte[] key = new byte[Limits.MAX_KEY_BYTES];
    private final byte[] name = new byte[LONGEST_NAME];

    PolicyParser(FeedLimits limits) {
        this.scanner = new JsonScanner(limits);
        this.maxBody = limits.bodyBytes();
    }

    /**
     * Reads the policy in {@code b[from, end)}, which must hold nothing else but white space.
     *
     * @param policy gets key and body as places in {@code b} (the key in a buffer of the parser's if it had escapes)
     */
    void parse(byte[] b, int from, int end, FeedPolicy policy) throws JsonFault {
        int start = JsonScanner.token(b, from, end);
        if (b[start] != '{') {
            // A value of another kind deserves a better word than "is not JSON".
            scanner.value(b, start, end);
            throw new JsonFault(FeedProblem.BAD_POLICY, start, "is not a JSON object with the members key and body");
        }
        boolean hasKey = false;
        boolean hasBody = false;
        int i = JsonScanner.token(b, start + 1, end);
        boolean more = b[i] != '}';
        while (more) {
            int nameAt = i;
            int afterColon = scanner.name(b, i, end);
            int nameEnd = scanner.nameEnd();
            boolean nameEscaped = scanner.escaped();
            int valueAt = JsonScanner.token(b, afterColon, end);
            int after = b[valueAt] == '"' ? scanner.string(b, valueAt, end) : scanner.value(b, valueAt, end);
            if (is(KEY, b, nameAt + 1, nameEnd, nameEscaped)) {
                if (hasKey) {
                    throw new JsonFault(FeedProblem.BAD_POLICY, nameAt, "has the member key twice");
                }
                hasKey = true;
                key(b, valueAt, after, policy);
            } else if (is(BODY, b, nameAt + 1, nameEnd, nameEscaped)) {
                if (hasBody) {
                    throw new JsonFault(FeedProblem.BAD_POLICY, nameAt, "has the member body twice");
                }
                if (after - valueAt > maxBody) {
                    throw new JsonFault(FeedProblem.TOO_LONG, valueAt,
                            "its body of " + (after - valueAt) + " bytes is longer than " + maxBody);
                }
                hasBody = true;
                policy.setBody(b, valueAt, after);
            }
            i = JsonScanner.token(b, after, end);
            more = b[i] == ',';
            if (more) {
                i = JsonScanner.token(b, i + 1, end);
            } else if (b[i] != '}') {
                throw JsonScanner.unexpected(b, i, "',' or '}'");
            }
        }
        int rest = JsonScanner.white(b, i + 1, end);
        if (rest < end) {
            throw JsonScanner.unexpected(b, rest, "the end of the line");
        }
        if (!hasKey || !hasBody) {
            throw new JsonFault(FeedProblem.BAD_POLICY, start,
                    "has no member " + (hasKey ? "body" : hasBody ? "key" : "key and none named body"));
        }
    }

    /** Whether the name in {@code b[from, to)} is {@code wanted}, however it is written. */
    private boolean is(byte[] wanted, byte[] b, int from, int to, boolean nameEscaped) {
        if (!nameEscaped) {
            return Arrays.equals(b, from, to, wanted, 0, wanted.length);
        }
        int length = to - from > LONGEST_NAME ? -1 : unescape(b, from, to, name);
        return length > 0 && Arrays.equals(name, 0, length, wanted, 0, wanted.length);
    }

    private void key(byte[] b, int at, int after, FeedPolicy policy) throws JsonFault {
        if (b[at] != '"') {
            throw new JsonFault(FeedProblem.BAD_KEY, at, "its key is not a string");
        }
        int from = at + 1;
        int to = after - 1;
        if (from == to) {
            throw new JsonFault(FeedProblem.BAD_KEY, at, "its key is empty");
        }
        if (!scanner.escaped()) {
            if (to - from > key.length) {
                throw tooLong(at);
            }
            policy.setKey(b, from, to);
            return;
        }
        int length = unescape(b, from, to, key);
        switch (length) {
            case TOO_LONG -> throw tooLong(at);
            case NUL -> throw new JsonFault(FeedProblem.BAD_KEY, at, "its key holds U+0000");
            case SURROGATE -> throw new JsonFault(FeedProblem.BAD_KEY, at, "its key holds half a surrogate pair");
            default -> policy.setKey(key, 0, length);
        }
    }

    private JsonFault tooLong(int at) {
        return new JsonFault(FeedProblem.BAD_KEY, at, "its key is longer than " + key.length + " bytes");
    }

    /**
     * Writes the text of a string that was already checked.
     *
     * @return its length in bytes, or {@link #TOO_LONG}, {@link #NUL}, {@link #SURROGATE}
     */
    private static int unescape(byte[] b, int from, int to, byte[] out) {
        int length = 0;
        int i = from;
        while (i < to) {
            if (b[i] != '\\') {
                if (length == out.length) {
                    return TOO_LONG;
                }
                out[length++] = b[i++];
                continue;
            }
            int character;
            if (b[i + 1] == 'u') {
                character = hex4(b, i + 2);
                i += 6;
                if (Character.isHighSurrogate((char) character) && i + 6 <= to && b[i] == '\\' && b[i + 1] == 'u'
                        && Character.isLowSurrogate((char) hex4(b, i + 2))) {
                    character = Character.toCodePoint((char) character, (char) hex4(b, i + 2));
                    i += 6;
                } else if (Character.isSurrogate((char) character)) {
                    return SURROGATE;
                }
            } else {
                character = switch (b[i + 1]) {
                    case 'b' -> '\b';
                    case 'f' -> '\f';
                    case 'n' -> '\n';
                    case 'r' -> '\r';
                    case 't' -> '\t';
                    default -> b[i + 1];
                };
                i += 2;
            }
            if (character == 0) {
                return NUL;
            }
            length = Utf8.encode(character, out, length);
            if (length < 0) {
                return TOO_LONG;
            }
        }
        return length;
    }

    private static int hex4(byte[] b, int at) {
        return Character.digit(b[at], 16) << 12 | Character.digit(b[at + 1], 16) << 8
                | Character.digit(b[at + 2], 16) << 4 | Character.digit(b[at + 3], 16);
    }
}
