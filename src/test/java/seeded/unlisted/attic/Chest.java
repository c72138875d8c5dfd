package seeded.unlisted.attic;

/** Breaks a rule on purpose; see ArchitectureTest. */
public final class Chest {

}
