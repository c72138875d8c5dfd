package io.bellwether.loadtest.bench;

import java.util.Locale;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * One promise, and what came out.
 *
 * @param promise in words
 * @param measured what came out
 * @param limit what it may be at most, or at least
 * @param atLeast which of the two
 */
public record Verdict(String promise, double measured, double limit, boolean atLeast) {
    /** A promise that something is not less. */
    public static Verdict atLeast(String promise, double measured, double limit) {
        return new Verdict(promise, measured, limit, true);
    }

    /** A promise that something is not more. */
    public static Verdict atMost(String promise, double measured, double limit) {
        return new Verdict(promise, measured, limit, false);
    }

    /** Whether it was kept; what could not be measured was not. */
    @JsonProperty
    public boolean kept() {
        return atLeast ? measured >= limit : measured <= limit;
    }

    /** For people. */
    public String words() {
        return String.format(Locale.ROOT, "%s: %s: %.4g, at %s %.4g", kept() ? "kept" : "MISSED", promise, measured,
                atLeast ? "least" : "most", limit);
    }
}
