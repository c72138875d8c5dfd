/** What holds for the whole code base: the order of the packages and who may use which library. */
@NullMarked
package io.bellwether;

import org.jspecify.annotations.NullMarked;
