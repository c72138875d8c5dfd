package io.bellwether.fleet;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.bellwether.policy.SetName;

/**
 * What a token opens. Immutable; holds no secret.
 *
 * @param id the public half of the token
 * @param server the downstream server it was made for
 * @param sets names of sets, patterns ending in {@code *} for all that begin so, or {@code *} for all
 * @param createdAt when it was made
 * @param expiresAt from when on it is no longer valid, or null
 * @param revokedAt when it was revoked, or null
 */
public record Grant(String id, String server, List<String> sets, Instant createdAt, @Nullable Instant expiresAt,
        @Nullable Instant revokedAt) {
    /** Copies the patterns. */
    public Grant {
        sets = List.copyOf(sets);
    }

    /** Whether {@code pattern} is one that a grant can hold. */
    public static boolean isPattern(String pattern) {
        String name = pattern.endsWith("*") ? pattern.substring(0, pattern.length() - 1) : pattern;
        return name.isEmpty() ? pattern.equals("*") : SetName.isValid(name);
    }

    /** Whether it opens the set of that name. */
    public boolean mayRead(String set) {
        for (String pattern : sets) {
            boolean prefix = pattern.endsWith("*");
            if (prefix ? set.regionMatches(0, pattern, 0, pattern.length() - 1) : set.equals(pattern)) {
                return true;
            }
        }
        return false;
    }

    /** Whether it is neither revoked nor expired at {@code now}. */
    public boolean isValid(Instant now) {
        return revokedAt == null && (expiresAt == null || now.isBefore(expiresAt));
    }
}
