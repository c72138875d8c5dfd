/**
 * One process: what starts in which order and why, and how it stops.
 *
 * <p>Wired by hand, because the order is the design. The end-to-end tests start this very object in processes of their
 * own.
 */
@NullMarked
package io.bellwether.app;

import org.jspecify.annotations.NullMarked;
