/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package seeded.homelease.app;

import org.jspecify.annotations.NullMarked;
