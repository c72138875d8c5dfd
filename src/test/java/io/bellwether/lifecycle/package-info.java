/** Tests of {@code io.bellwether.lifecycle}. */
@NullMarked
package io.bellwether.lifecycle;

import org.jspecify.annotations.NullMarked;
