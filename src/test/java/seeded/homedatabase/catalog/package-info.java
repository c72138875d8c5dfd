/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package seeded.homedatabase.catalog;

import org.jspecify.annotations.NullMarked;
