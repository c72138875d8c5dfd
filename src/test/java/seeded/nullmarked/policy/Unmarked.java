package seeded.nullmarked.policy;

/** Breaks a rule on purpose; see ArchitectureTest. */
public final class Unmarked {

}
