/** Tests of opening and reading feeds. */
@NullMarked
package io.bellwether.source;

import org.jspecify.annotations.NullMarked;
