package io.bellwether.fault;

import java.io.Serial;

/** A failure of a known kind, with a sentence for the person who has to act on it: what, where, and what was expected. */
public final class Fault extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final FaultKind kind;

    /**
     * A failure without an underlying cause.
     *
     * @param kind what kind of failure it is
     * @param detail one sentence naming what failed and where; shown to clients, so it must hold no secret
     */
    public Fault(FaultKind kind, String detail) {
        super(detail);
        this.kind = kind;
    }

    /**
     * A failure with an underlying cause, which is logged but never shown to clients.
     *
     * @param kind what kind of failure it is
     * @param detail one sentence naming what failed and where; shown to clients, so it must hold no secret
     * @param cause what was thrown underneath
     */
    public Fault(FaultKind kind, String detail, Throwable cause) {
        super(detail, cause);
        this.kind = kind;
    }

    /** What kind of failure it is. */
    public FaultKind kind() {
        return kind;
    }

    /** The sentence for the person who has to act on it. */
    public String detail() {
        String message = getMessage();
        return message == null ? kind.problemType() : message;
    }
}
