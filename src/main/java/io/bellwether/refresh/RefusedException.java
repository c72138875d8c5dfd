package io.bellwether.refresh;

import java.io.Serial;

/** The feed is not one that may be published. The message says why, in one sentence for the operator. */
final class RefusedException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    RefusedException(String reason) {
        super(reason);
    }
}
