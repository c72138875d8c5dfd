/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package seeded.order.http;

import org.jspecify.annotations.NullMarked;
