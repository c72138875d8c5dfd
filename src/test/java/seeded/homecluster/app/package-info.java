/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package seeded.homecluster.app;

import org.jspecify.annotations.NullMarked;
