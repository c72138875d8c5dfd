/** Tests of tokens on a real PostgreSQL. */
@NullMarked
package io.bellwether.fleet;

import org.jspecify.annotations.NullMarked;
