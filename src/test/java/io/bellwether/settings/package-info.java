/** Tests of {@code io.bellwether.settings}. */
@NullMarked
package io.bellwether.settings;

import org.jspecify.annotations.NullMarked;
