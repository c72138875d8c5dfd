package io.bellwether.loadtest.bulk;

/** The names of the steps, as they stand in results. */
final class Steps {
    static final String COPY_BEFORE = "\\copy before";
    static final String COPY_AFTER = "\\copy after";
    static final String BINARY_COPY_BEFORE = "binary \\copy before";
    static final String BINARY_COPY_AFTER = "binary \\copy after";
    static final String FIRST_LOAD = "first load";
    static final String VACUUM = "vacuum after it";
    static final String UNCHANGED = "unchanged, no validators";
    static final String NOT_MODIFIED = "answered 304";
    static final String SMALL_AFTER_CHECKPOINT = "0.1 % changed, after a checkpoint";
    static final String SMALL = "0.1 % changed";
    static final String SMALL_AGAIN = "0.1 % changed, again";
    static final String LARGE = "10 % changed";
    static final String READ_LOAD = "first load of another set while readers read";

    private Steps() {}
}
