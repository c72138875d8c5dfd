package seeded.refreshcatalog.catalog;

/** Breaks a rule on purpose; see ArchitectureTest. */
public final class Heads {

}
