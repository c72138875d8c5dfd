package io.bellwether.cluster;

import java.io.Serial;

import org.jspecify.annotations.Nullable;

/** Why the local cluster cannot start or go on, in one line made for the person at the terminal: what is wrong and what to do. */
public final class ClusterException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    /** @param line the one line */
    public ClusterException(String line) {
        super(line);
    }

    /**
     * @param line the one line
     * @param cause kept for a debugger, not shown
     */
    public ClusterException(String line, @Nullable Throwable cause) {
        super(line, cause);
    }
}
