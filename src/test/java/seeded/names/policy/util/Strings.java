package seeded.names.policy.util;

/** Breaks a rule on purpose; see ArchitectureTest. */
public final class Strings {

}
