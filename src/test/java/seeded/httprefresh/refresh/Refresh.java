package seeded.httprefresh.refresh;

/** Breaks a rule on purpose; see ArchitectureTest. */
public final class Refresh {

}
