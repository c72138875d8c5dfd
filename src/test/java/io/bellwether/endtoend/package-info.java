/** A real cluster of {@code serve} processes behind a real nginx, looked at as a client and an operator look at it. */
@NullMarked
package io.bellwether.endtoend;

import org.jspecify.annotations.NullMarked;
