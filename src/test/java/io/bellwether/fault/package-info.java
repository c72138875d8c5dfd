/** Tests of {@code io.bellwether.fault}. */
@NullMarked
package io.bellwether.fault;

import org.jspecify.annotations.NullMarked;
