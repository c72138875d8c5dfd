/** Tests of {@code io.bellwether.lease}. */
@NullMarked
package io.bellwether.lease;

import org.jspecify.annotations.NullMarked;
