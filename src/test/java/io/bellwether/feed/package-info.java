/** Tests of the synthetic feed. */
@NullMarked
package io.bellwether.feed;

import org.jspecify.annotations.NullMarked;
