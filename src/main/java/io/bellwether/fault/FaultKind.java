package io.bellwether.fault;

/**
 * The kinds of failure. Each names its HTTP status (RFC 9110), its problem type (the last path segment of the RFC 9457
 * {@code type} URI), the exit code of a command that ends by it, and whether it deserves a warning in the log. The front
 * answers with some of them itself (its {@code locations.conf}), with too many requests it alone.
 */
public enum FaultKind {
    INVALID_REQUEST(400, "invalid-request", 2, false), INVALID_DEFINITION(422, "invalid-definition", 2,
            false), UNAUTHENTICATED(401, "unauthenticated", 1, false), FORBIDDEN(403, "forbidden", 1,
                    false), NOT_FOUND(404, "not-found", 1, false), NOT_PUBLISHED_YET(404, "not-published-yet", 1,
                            false), METHOD_NOT_ALLOWED(405, "method-not-allowed", 2, false), CONFLICT(409, "conflict",
                                    1, false), REVISION_GONE(410, "revision-gone", 1, false), PRECONDITION_FAILED(412,
                                            "precondition-failed", 1,
                                            false), TOO_LARGE(413, "too-large", 2, false), UNSUPPORTED_MEDIA_TYPE(415,
                                                    "unsupported-media-type", 2, false), TOO_MANY_REQUESTS(429,
                                                            "too-many-requests", 1, false), RANGE_NOT_SATISFIABLE(416,
                                                                    "range-not-satisfiable", 1,
                                                                    false), REFUSED_BY_GUARD(409,
                                                                            "refused-by-guard", 3,
                                                                            false), BEHIND_MIN_REVISION(503,
                                                                                    "behind-min-revision", 1,
                                                                                    false), OVERLOADED(503,
                                                                                            "overloaded", 1,
                                                                                            true), UNAVAILABLE(503,
                                                                                                    "unavailable", 1,
                                                                                                    true), TIMEOUT(504,
                                                                                                            "timeout",
                                                                                                            1,
                                                                                                            true), INTERNAL(
                                                                                                                    500,
                                                                                                                    "internal",
                                                                                                                    1,
                                                                                                                    true);

    private final int status;
    private final String problemType;
    private final int exitCode;
    private final boolean warn;

    FaultKind(int status, String problemType, int exitCode, boolean warn) {
        this.status = status;
        this.problemType = problemType;
        this.exitCode = exitCode;
        this.warn = warn;
    }

    /** The HTTP status. */
    public int status() {
        return status;
    }

    /** The stable name of the problem type, in lower case with hyphens. */
    public String problemType() {
        return problemType;
    }

    /** The exit code of a command that ends by it: 2 usage, 1 failed, 3 refused by a guard. */
    public int exitCode() {
        return exitCode;
    }

    /** Whether the server logs it as a warning; the others are the client's business. */
    public boolean deservesWarning() {
        return warn;
    }
}
