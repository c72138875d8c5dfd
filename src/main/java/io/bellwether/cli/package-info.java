/** The command line: picocli commands, and how failures become exit codes. */
@NullMarked
package io.bellwether.cli;

import org.jspecify.annotations.NullMarked;
