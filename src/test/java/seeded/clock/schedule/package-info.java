/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package seeded.clock.schedule;

import org.jspecify.annotations.NullMarked;
