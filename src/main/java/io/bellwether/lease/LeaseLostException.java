package io.bellwether.lease;

import java.io.Serial;

/** The run is no longer this process'; whatever it was doing must not take effect. */
public final class LeaseLostException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    /** A loss, with what was seen. */
    public LeaseLostException(String seen) {
        super(seen);
    }
}
