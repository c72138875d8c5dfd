/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package seeded.httprefresh.http;

import org.jspecify.annotations.NullMarked;
