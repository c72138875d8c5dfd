/** Tests of the refresh: the pure parts on their own, the whole of it on a real PostgreSQL. */
@NullMarked
package io.bellwether.refresh;

import org.jspecify.annotations.NullMarked;
