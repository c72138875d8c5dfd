/** Tests of the catalog on a real PostgreSQL. */
@NullMarked
package io.bellwether.catalog;

import org.jspecify.annotations.NullMarked;
