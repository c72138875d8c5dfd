package io.bellwether.source;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * By what an upstream recognises the feed that we have already (RFC 9110, 8.8). Kept beside the content they belong to,
 * and only after it was applied. For a {@code file:} source the tag is made of the file's size, time and inode.
 *
 * @param etag the ETag as it came, with its quotes; null if there was none
 * @param lastModified the Last-Modified date as it came; null if there was none
 */
public record Validators(@Nullable String etag, @Nullable String lastModified) {
    /** Nothing is known: the feed is fetched whatever it is. */
    public static final Validators NONE = new Validators(null, null);

    private static final int LONGEST = 1_024;

    /** Keeps what can be sent back in a header and drops the rest. */
    public Validators {
        etag = fit(etag);
        lastModified = fit(lastModified);
    }

    /** Whether there is neither. */
    public boolean isEmpty() {
        return etag == null && lastModified == null;
    }

    /** The header fields of a conditional request. */
    Map<String, String> headers() {
        Map<String, String> headers = new HashMap<>();
        if (etag != null) {
            headers.put("If-None-Match", etag);
        }
        if (lastModified != null) {
            headers.put("If-Modified-Since", lastModified);
        }
        return headers;
    }

    /** These, and from others what is missing here. */
    Validators orElse(Validators others) {
        return new Validators(etag != null ? etag : others.etag,
                lastModified != null ? lastModified : others.lastModified);
    }

    private static @Nullable String fit(@Nullable String value) {
        return value == null || value.isBlank() || value.length() > LONGEST
                || !value.chars().allMatch(c -> c >= 0x20 && c < 0x7f) ? null : value;
    }
}
