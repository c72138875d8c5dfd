package seeded.homelease.app;

import org.redisson.Redisson;

/** Breaks a rule on purpose; see ArchitectureTest. */
public final class Foreign {
    /** A foreign library. */
    public Class<?> library() {
        return Redisson.class;
    }
}
