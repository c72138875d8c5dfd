/**
 * The command line: picocli commands, and how failures become exit codes.
 *
 * <p>Operating commands speak to the admin API and to nothing else, so that what a command can do a script can do as
 * well. A command returns, or throws a {@link io.bellwether.cli.CommandFailure} with the one line that the person at the
 * terminal needs; one place turns that into standard error and an exit code (2 usage and settings, 1 failed, 3 refused by
 * a guard). No stack trace is ever shown. Everything a command touches of the outside (environment, streams, clock) comes
 * in a {@link io.bellwether.cli.Terminal}, so that tests run the very commands in their own process.
 */
@NullMarked
package io.bellwether.cli;

import org.jspecify.annotations.NullMarked;
