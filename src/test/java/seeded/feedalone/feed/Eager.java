package seeded.feedalone.feed;

import seeded.feedalone.database.Pool;

/** Breaks a rule on purpose; see ArchitectureTest. */
public final class Eager {
    /** A feed needs no database. */
    public Pool pool() {
        return new Pool();
    }
}
