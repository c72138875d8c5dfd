package seeded.homecluster.app;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/** Breaks a rule on purpose; see ArchitectureTest. */
public final class Foreign {
    /** A foreign library. */
    public Class<?> library() {
        return EmbeddedPostgres.class;
    }
}
