/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package seeded.names.policy.util;

import org.jspecify.annotations.NullMarked;
