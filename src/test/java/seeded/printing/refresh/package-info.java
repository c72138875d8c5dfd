/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package seeded.printing.refresh;

import org.jspecify.annotations.NullMarked;
