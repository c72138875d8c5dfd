/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package seeded.testlibraries.policy;

import org.jspecify.annotations.NullMarked;
