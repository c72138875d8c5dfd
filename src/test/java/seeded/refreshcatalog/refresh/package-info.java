/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package seeded.refreshcatalog.refresh;

import org.jspecify.annotations.NullMarked;
