/** A whole process inside this JVM. */
@NullMarked
package io.bellwether.app;

import org.jspecify.annotations.NullMarked;
