package seeded.httprefresh.http;

import seeded.httprefresh.refresh.Refresh;

/** Breaks a rule on purpose; see ArchitectureTest. */
public final class Eager {
    /** Past the database. */
    public Refresh refresh() {
        return new Refresh();
    }
}
