/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package seeded.homehttp.app;

import org.jspecify.annotations.NullMarked;
