package seeded.order.http;

/** Breaks a rule on purpose; see ArchitectureTest. */
public final class Page {

}
