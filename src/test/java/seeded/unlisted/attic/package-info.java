/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package seeded.unlisted.attic;

import org.jspecify.annotations.NullMarked;
