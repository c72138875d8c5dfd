/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package seeded.homeschedule.lease;

import org.jspecify.annotations.NullMarked;
