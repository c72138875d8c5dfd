package io.bellwether.fault;

/**
 * The kinds of failure. Each names its HTTP status (RFC 9110), its problem type (the last path segment of the RFC 9457
 * {@code type} URI), the exit code of a command that ends by it, and whether it deserves a warning in the log. The front
 * answers with some of them itself (its {@code locations.conf}), with two of them it alone.
 */
public enum FaultKind {
    /** What was asked for cannot be understood. */
    INVALID_REQUEST(400, "invalid-request", 2, false),
    /** What was to be defined cannot be. */
    INVALID_DEFINITION(422, "invalid-definition", 2, false),
    /** Nobody knows who asks. */
    UNAUTHENTICATED(401, "unauthenticated", 1, false),
    /** Who asks may not. */
    FORBIDDEN(403, "forbidden", 1, false),
    /** There is nothing of that name. */
    NOT_FOUND(404, "not-found", 1, false),
    /** The set has no revision yet. */
    NOT_PUBLISHED_YET(404, "not-published-yet", 1, false),
    /** The path does not take that method. */
    METHOD_NOT_ALLOWED(405, "method-not-allowed", 2, false),
    /** It does not fit the state that things are in. */
    CONFLICT(409, "conflict", 1, false),
    /** The revision is no longer kept. */
    REVISION_GONE(410, "revision-gone", 1, false),
    /** What is there is not what the request names as its condition; said by the front alone. */
    PRECONDITION_FAILED(412, "precondition-failed", 1, false),
    /** More was sent than is taken. */
    TOO_LARGE(413, "too-large", 2, false),
    /** It was sent in a form that is not taken. */
    UNSUPPORTED_MEDIA_TYPE(415, "unsupported-media-type", 2, false),
    /** The part that was asked for is not there. */
    RANGE_NOT_SATISFIABLE(416, "range-not-satisfiable", 1, false),
    /** The caller asks for more than a fleet does; said by the front alone. */
    TOO_MANY_REQUESTS(429, "too-many-requests", 1, false),
    /** A guard says no to a feed. */
    REFUSED_BY_GUARD(409, "refused-by-guard", 3, false),
    /** The client has seen a newer revision than this process holds. */
    BEHIND_MIN_REVISION(503, "behind-min-revision", 1, false),
    /** One more would harm those under way. */
    OVERLOADED(503, "overloaded", 1, true),
    /** What it needs is away. */
    UNAVAILABLE(503, "unavailable", 1, true),
    /** What it needs took too long. */
    TIMEOUT(504, "timeout", 1, true),
    /** A defect of ours. */
    INTERNAL(500, "internal", 1, true);

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
