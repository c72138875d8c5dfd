package seeded.homedatabase.catalog;

import org.postgresql.PGConnection;

/** Breaks a rule on purpose; see ArchitectureTest. */
public final class Foreign {
    /** A foreign library. */
    public Class<?> library() {
        return PGConnection.class;
    }
}
