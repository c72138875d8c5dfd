/** Tests of the command line: the very commands, run in this process, against a real server and a real PostgreSQL. */
@NullMarked
package io.bellwether.cli;

import org.jspecify.annotations.NullMarked;
