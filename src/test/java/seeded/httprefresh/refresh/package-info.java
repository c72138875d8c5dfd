/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package seeded.httprefresh.refresh;

import org.jspecify.annotations.NullMarked;
