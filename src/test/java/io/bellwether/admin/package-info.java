/** Tests of {@code io.bellwether.admin} against a real PostgreSQL. */
@NullMarked
package io.bellwether.admin;

import org.jspecify.annotations.NullMarked;
