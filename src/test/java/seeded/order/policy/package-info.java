/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package seeded.order.policy;

import org.jspecify.annotations.NullMarked;
