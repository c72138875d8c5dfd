/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package seeded.refreshcatalog.catalog;

import org.jspecify.annotations.NullMarked;
