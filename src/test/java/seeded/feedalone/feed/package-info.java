/** Breaks a rule on purpose; see ArchitectureTest. */
@NullMarked
package seeded.feedalone.feed;

import org.jspecify.annotations.NullMarked;
