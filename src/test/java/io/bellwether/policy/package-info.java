/** Tests of {@code io.bellwether.policy}. */
@NullMarked
package io.bellwether.policy;

import org.jspecify.annotations.NullMarked;
