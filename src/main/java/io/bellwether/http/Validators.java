package io.bellwether.http;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Entity tags and conditional requests (RFC 9110, sections 8.8.3 and 13). Stateless.
 *
 * <p>Tags are strong where they leave us; what comes back may have been weakened by a proxy, so they are compared weakly.
 */
final class Validators {
    /** For what may change: ask each time; private, because an answer is for who has the token. */
    static final String REVALIDATE = "private, no-cache";

    /**
     * For what never changes under its URL: segments, which are named by their hash. What is named by a revision is not:
     * in another epoch it is something else.
     */
    static final String IMMUTABLE = "private, max-age=31536000, immutable";

    private Validators() {}

    /**
     * Sets tag and cache rule, and answers 304 when the client has that already.
     *
     * @return whether it has been answered
     */
    static boolean answered(Exchange exchange, String etag, String cacheControl) {
        exchange.set("ETag", etag);
        exchange.set("Cache-Control", cacheControl);
        if (matches(exchange.header("If-None-Match"), etag)) {
            exchange.empty(304);
            return true;
        }
        return false;
    }

    /** Whether an {@code If-None-Match} names the tag, or anything at all. */
    static boolean matches(@Nullable String ifNoneMatch, String etag) {
        return ifNoneMatch != null && (ifNoneMatch.equals(etag) || ifNoneMatch.strip().equals("*")
                || tags(ifNoneMatch).contains(etag));
    }

    /** The quoted tags of a list, without what marks weak ones; whatever is not a tag is passed over. */
    static List<String> tags(String list) {
        List<String> tags = new ArrayList<>();
        int at = 0;
        while (at < list.length()) {
            int open = list.indexOf('"', at);
            int close = open < 0 ? -1 : list.indexOf('"', open + 1);
            if (close < 0) {
                break;
            }
            tags.add(list.substring(open, close + 1));
            at = close + 1;
        }
        return tags;
    }

    /**
     * The highest revision of this epoch that the tags name, or 0.
     *
     * @param shortEpoch as tags name it
     */
    static long namedRevision(@Nullable String ifNoneMatch, String shortEpoch) {
        long highest = 0;
        String begin = "\"" + shortEpoch + ".r";
        for (String tag : ifNoneMatch == null ? List.<String>of() : tags(ifNoneMatch)) {
            if (tag.startsWith(begin)) {
                highest = Math.max(highest, number(tag, begin.length(), tag.length() - 1));
            }
        }
        return highest;
    }

    /** The number that a part of a text is, or 0 when it is none of 1 to 18 digits. */
    private static long number(String text, int from, int to) {
        long number = 0;
        for (int i = from; i < to; i++) {
            char digit = text.charAt(i);
            if (digit < '0' || digit > '9') {
                return 0;
            }
            number = number * 10 + digit - '0';
        }
        return to - from > 18 ? 0 : number;
    }
}
