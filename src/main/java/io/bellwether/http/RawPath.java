package io.bellwether.http;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;

/**
 * Parameters of a path, taken from the path as it was sent and decoded strictly: a policy's key may hold an encoded slash,
 * and bytes that are not UTF-8 must not turn into another key.
 */
final class RawPath {
    private RawPath() {}

    /**
     * The decoded segment of {@code path} where {@code pattern} has <code>{name}</code>.
     *
     * @throws Fault {@link FaultKind#INVALID_REQUEST} if it is not percent-encoded UTF-8
     */
    static String parameter(String pattern, String path, String name) {
        String wanted = "{" + name + "}";
        int inPattern = 0;
        int inPath = 0;
        while (inPattern < pattern.length() && inPath < path.length()) {
            int patternEnd = end(pattern, inPattern);
            int pathEnd = end(path, inPath);
            if (patternEnd - inPattern == wanted.length() && pattern.startsWith(wanted, inPattern)) {
                return new String(decode(path.substring(inPath, pathEnd)), StandardCharsets.UTF_8);
            }
            inPattern = patternEnd + 1;
            inPath = pathEnd + 1;
        }
        throw new IllegalArgumentException(pattern + " has no parameter " + name);
    }

    /**
     * The bytes that a percent-encoded text stands for.
     *
     * @throws Fault {@link FaultKind#INVALID_REQUEST} if it is not percent-encoded UTF-8
     */
    static byte[] decode(String encoded) {
        byte[] sent = encoded.getBytes(StandardCharsets.UTF_8);
        byte[] bytes = new byte[sent.length];
        int length = 0;
        for (int i = 0; i < sent.length; i++) {
            if (sent[i] == '%') {
                int high = i + 2 < sent.length ? Character.digit(sent[i + 1], 16) : -1;
                int low = i + 2 < sent.length ? Character.digit(sent[i + 2], 16) : -1;
                if (high < 0 || low < 0) {
                    throw new Fault(FaultKind.INVALID_REQUEST, "the path has a '%' without two hexadecimal digits");
                }
                bytes[length++] = (byte) (high << 4 | low);
                i += 2;
            } else {
                bytes[length++] = sent[i];
            }
        }
        byte[] decoded = Arrays.copyOf(bytes, length);
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(decoded));
        } catch (CharacterCodingException e) {
            throw new Fault(FaultKind.INVALID_REQUEST, "the path is not percent-encoded UTF-8", e);
        }
        return decoded;
    }

    private static int end(String text, int from) {
        int slash = text.indexOf('/', from);
        return slash < 0 ? text.length() : slash;
    }
}
