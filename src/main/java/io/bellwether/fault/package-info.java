/**
 * The closed set of ways in which a request or an operation fails.
 *
 * <p>One enum decides HTTP status, problem type, exit code and log level, so that the same failure looks the same
 * wherever it surfaces. The simpler way, an exception class per failure with its status chosen where it is caught, was
 * rejected: every new endpoint would choose again.
 */
@NullMarked
package io.bellwether.fault;

import org.jspecify.annotations.NullMarked;
