package seeded.printing.refresh;

/** Breaks a rule on purpose; see ArchitectureTest. */
public final class Loud {
    /** Prints. */
    public void shout() {
        System.out.println();
    }
}
