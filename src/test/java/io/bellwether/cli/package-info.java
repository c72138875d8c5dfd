/** The command line. */
@NullMarked
package io.bellwether.cli;

import org.jspecify.annotations.NullMarked;
