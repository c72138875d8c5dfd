package io.bellwether.refresh;

import java.io.Serial;

import org.jspecify.annotations.Nullable;

import io.bellwether.lease.RunResult;
import io.bellwether.policy.Sha256;

/** The feed is not one that may be published. The message says why, in one sentence for the operator. */
final class RefusedException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    private final transient @Nullable Difference difference;
    private final transient @Nullable Sha256 candidate;

    /** A refusal without counts. */
    RefusedException(String reason) {
        this(reason, null, null);
    }

    /**
     * A refusal of a feed that was compared to its end.
     *
     * @param candidate the hash of its content, if an operator may let it through
     */
    RefusedException(String reason, @Nullable Difference difference, @Nullable Sha256 candidate) {
        super(reason);
        this.candidate = candidate;
        this.difference = difference;
    }

    RunResult result() {
        String reason = String.valueOf(getMessage());
        Difference counts = difference;
        return counts == null
                ? RunResult.refused(reason, 0, 0, 0)
                : RunResult.refused(reason, counts.upserts(), counts.deletes(), counts.unchanged(), candidate);
    }
}
