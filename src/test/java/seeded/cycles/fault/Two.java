package seeded.cycles.fault;

import seeded.cycles.policy.One;

/** Breaks a rule on purpose; see ArchitectureTest. */
public final class Two {
    /** And round. */
    public One one() {
        return new One();
    }
}
