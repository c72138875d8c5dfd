/** Tests against a real PostgreSQL. */
@NullMarked
package io.bellwether.database;

import org.jspecify.annotations.NullMarked;
