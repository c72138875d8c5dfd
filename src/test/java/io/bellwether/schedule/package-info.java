/** Tests of {@code io.bellwether.schedule}. */
@NullMarked
package io.bellwether.schedule;

import org.jspecify.annotations.NullMarked;
