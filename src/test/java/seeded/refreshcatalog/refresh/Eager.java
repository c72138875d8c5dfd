package seeded.refreshcatalog.refresh;

import seeded.refreshcatalog.catalog.Heads;

/** Breaks a rule on purpose; see ArchitectureTest. */
public final class Eager {
    /** Past the database. */
    public Heads heads() {
        return new Heads();
    }
}
