package io.bellwether.http;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The part of a body that is asked for (RFC 9110, section 14). Immutable.
 *
 * @param from the first byte
 * @param length how many
 * @param kind whether it is the whole, a part, or nothing that there is
 */
record ByteRange(long from, long length, Kind kind) {
    enum Kind {
        WHOLE, PART, UNSATISFIABLE
    }

    private static final Pattern ONE = Pattern
            .compile("(?i)bytes\\s*=\\s*(?:([0-9]{1,18})\\s*-\\s*([0-9]{1,18})?|-\\s*([0-9]{1,18}))\\s*");

    /**
     * Reads a request's range. A unit or form that is not known and several ranges at once mean the whole, as the
     * standard allows; so does {@code If-Range} with anything but exactly the tag.
     *
     * @param range the field, or null
     * @param ifRange the field, or null
     * @param etag of the body
     * @param total its length
     */
    static ByteRange of(@Nullable String range, @Nullable String ifRange, String etag, long total) {
        ByteRange whole = new ByteRange(0, total, Kind.WHOLE);
        if (range == null || ifRange != null && !ifRange.strip().equals(etag)) {
            return whole;
        }
        Matcher matcher = ONE.matcher(range.strip());
        if (!matcher.matches()) {
            return whole;
        }
        ByteRange nothing = new ByteRange(0, 0, Kind.UNSATISFIABLE);
        if (matcher.group(3) != null) {
            long last = Math.min(total, Long.parseLong(matcher.group(3)));
            return last == 0 ? nothing : new ByteRange(total - last, last, Kind.PART);
        }
        long from = Long.parseLong(matcher.group(1));
        long to = matcher.group(2) == null ? Long.MAX_VALUE : Long.parseLong(matcher.group(2));
        if (to < from) {
            return whole;
        }
        return from >= total ? nothing : new ByteRange(from, Math.min(to, total - 1) - from + 1, Kind.PART);
    }

    /** As {@code Content-Range} says it. */
    String contentRange(long total) {
        return kind == Kind.UNSATISFIABLE
                ? "bytes */" + total
                : "bytes " + from + "-" + (from + length - 1) + "/" + total;
    }
}
