/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package seeded.cycles.fault;

import org.jspecify.annotations.NullMarked;
