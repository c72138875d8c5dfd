/** What tests share: a real PostgreSQL and Redis, and waiting for what happens elsewhere. */
@NullMarked
package io.bellwether.testing;

import org.jspecify.annotations.NullMarked;
