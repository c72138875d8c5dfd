package seeded.cycles.policy;

import seeded.cycles.fault.Two;

/** Breaks a rule on purpose; see ArchitectureTest. */
public final class One {
    /** Round. */
    public Two two() {
        return new Two();
    }
}
