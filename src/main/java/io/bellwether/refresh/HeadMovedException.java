package io.bellwether.refresh;

import java.io.Serial;

/** The set is not at the revision any more that a draft was made from; nothing is published. */
final class HeadMovedException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    HeadMovedException(String seen) {
        super(seen);
    }
}
