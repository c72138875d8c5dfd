package seeded.clock.schedule;

import java.time.Instant;

/** Breaks a rule on purpose; see ArchitectureTest. */
public final class Impatient {
    /** Asks nobody. */
    public Instant now() {
        return Instant.now();
    }
}
