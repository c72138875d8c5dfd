package io.bellwether.refresh;

import java.io.Serial;

import org.jspecify.annotations.Nullable;

import io.bellwether.lease.RunResult;

/** The feed is not one that may be published. The message says why, in one sentence for the operator. */
final class RefusedException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    private final transient @Nullable Difference difference;

    /** A refusal without counts. */
    RefusedException(String reason) {
        this(reason, null);
    }

    /** A refusal of a feed that was compared to its end. */
    RefusedException(String reason, @Nullable Difference difference) {
        super(reason);
        this.difference = difference;
    }

    RunResult result() {
        String reason = String.valueOf(getMessage());
        Difference counts = difference;
        return counts == null
                ? RunResult.refused(reason, 0, 0, 0)
                : RunResult.refused(reason, counts.upserts(), counts.deletes(), counts.unchanged());
    }
}
