/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package seeded.cycles.policy;

import org.jspecify.annotations.NullMarked;
