package seeded.order.policy;

import seeded.order.http.Page;

/** Breaks a rule on purpose; see ArchitectureTest. */
public final class Upward {
    /** From below to above. */
    public Page page() {
        return new Page();
    }
}
