package seeded.testlibraries.policy;

import org.junit.jupiter.api.Test;

/** Breaks a rule on purpose; see ArchitectureTest. */
public final class Tested {
    /** A foreign library. */
    public Class<?> library() {
        return Test.class;
    }
}
