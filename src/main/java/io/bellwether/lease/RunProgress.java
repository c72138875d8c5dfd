package io.bellwether.lease;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Where a run is, for people. Immutable.
 *
 * @param phase a short word
 * @param rows policies so far in this phase
 * @param bytes so far in this phase
 * @param rowsPerSecond over this phase
 * @param bytesPerSecond over this phase
 * @param share of the phase that is done, 0 to 1, or null where nobody can tell
 * @param left how long the phase may take yet at this rate, or null where nobody can tell
 */
public record RunProgress(String phase, long rows, long bytes, double rowsPerSecond, double bytesPerSecond,
        @Nullable Double share, @Nullable Duration left) {
    /**
     * What is known after some time in a phase.
     *
     * @param share as in the record; zero is taken for unknown, one for done
     */
    public static RunProgress of(String phase, long rows, long bytes, Duration inPhase, double share) {
        double seconds = Math.max(inPhase.toNanos() / 1e9, 1e-3);
        boolean known = share > 0 && share <= 1;
        return new RunProgress(phase, rows, bytes, rows / seconds, bytes / seconds, known ? share : null,
                known ? Duration.ofMillis(Math.round(seconds * (1 - share) / share * 1000)) : null);
    }
}
