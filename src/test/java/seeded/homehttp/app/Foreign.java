package seeded.homehttp.app;

import io.javalin.Javalin;

/** Breaks a rule on purpose; see ArchitectureTest. */
public final class Foreign {
    /** A foreign library. */
    public Class<?> library() {
        return Javalin.class;
    }
}
