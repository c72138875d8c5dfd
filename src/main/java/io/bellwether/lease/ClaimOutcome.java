package io.bellwether.lease;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/** What came of trying to win a run. Immutable. */
sealed interface ClaimOutcome {
    /** It is ours. */
    record Won(Claim claim) implements ClaimOutcome {}

    /**
     * It has its row already.
     *
     * @param to the process that won it, or null if it has no run
     */
    record Lost(@Nullable String to) implements ClaimOutcome {}

    /** By the database's clock it is not due for this long. */
    record NotDue(Duration by) implements ClaimOutcome {}

    /** It became due during a run, and now has the row that says so. */
    record Overlapped() implements ClaimOutcome {}

    /**
     * The run that was to be taken over is closed, and there is no next attempt.
     *
     * @param state its state now
     * @param reason why there is none
     */
    record Closed(String state, String reason) implements ClaimOutcome {}

    /** The job is not as we thought: paused, changed, deleted, a run is under way. Look again. */
    record Refused(String why) implements ClaimOutcome {}

    /** Somebody has the job's row locked at the moment. Try again. */
    record Busy() implements ClaimOutcome {}
}
