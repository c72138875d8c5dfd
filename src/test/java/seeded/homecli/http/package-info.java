/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package seeded.homecli.http;

import org.jspecify.annotations.NullMarked;
