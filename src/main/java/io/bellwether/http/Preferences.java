package io.bellwether.http;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/** What a client prefers (RFC 7240). Stateless. */
final class Preferences {
    /** The longest wait, below the proxy's time-out for reading. */
    static final Duration LONGEST_WAIT = Duration.ofSeconds(50);

    private Preferences() {}

    /**
     * How long the client would wait for news: {@code wait=N} in whole seconds, capped. Preferences may be separated by
     * commas, as the standard has it, or by semicolons, as some agents do.
     */
    static Optional<Duration> wait(@Nullable String prefer) {
        for (String preference : prefer == null ? new String[0] : prefer.split("[,;]", -1)) {
            String[] pair = preference.strip().toLowerCase(Locale.ROOT).split("\\s*=\\s*", 2);
            if (pair.length == 2 && pair[0].equals("wait")) {
                String value = pair[1].replace("\"", "");
                if (value.matches("[0-9]{1,9}")) {
                    Duration wait = Duration.ofSeconds(Long.parseLong(value));
                    return wait.isZero()
                            ? Optional.empty()
                            : Optional.of(wait.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wait);
                }
            }
        }
        return Optional.empty();
    }
}
