/**
 * The closed set of ways in which a request or an operation fails.
 *
 * <p>One enum decides HTTP status, problem type, exit code and log level, so that the same failure looks the same
 * wherever it surfaces. The simpler way, an exception class per failure with its status chosen where it is caught, was
 * rejected: every new endpoint would choose again.
 *
 * <p>Beside them the points at which tests make a process die, pause or lose its connections ({@link
 * io.bellwether.fault.Failpoint}): the product holds the points alone, a null check each, and never what acts on them.
 * Switches in the product's own settings were rejected: a person could throw them.
 */
@NullMarked
package io.bellwether.fault;

import org.jspecify.annotations.NullMarked;
