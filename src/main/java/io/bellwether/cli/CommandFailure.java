package io.bellwether.cli;

import java.io.Serial;

import io.bellwether.fault.FaultKind;

/** Why a command ends without having done what it was asked for: lines for standard error, and its exit code. */
final class CommandFailure extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    /** It was asked for something wrong. */
    static final int USAGE = FaultKind.INVALID_REQUEST.exitCode();

    /** It could not be done. */
    static final int FAILED = FaultKind.INTERNAL.exitCode();

    /** A guard said no. */
    static final int REFUSED = FaultKind.REFUSED_BY_GUARD.exitCode();

    private final int exitCode;

    CommandFailure(int exitCode, String line) {
        super(line);
        this.exitCode = exitCode;
    }

    CommandFailure(int exitCode, String line, Throwable cause) {
        super(line, cause);
        this.exitCode = exitCode;
    }

    int exitCode() {
        return exitCode;
    }

    String line() {
        String message = getMessage();
        return message == null ? "failed" : message;
    }
}
