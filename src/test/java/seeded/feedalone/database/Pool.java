package seeded.feedalone.database;

/** Breaks a rule on purpose; see ArchitectureTest. */
public final class Pool {

}
