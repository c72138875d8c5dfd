/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package seeded.feedalone.database;

import org.jspecify.annotations.NullMarked;
