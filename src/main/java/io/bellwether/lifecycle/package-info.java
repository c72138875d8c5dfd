/**
 * How parts start, stop and repeat: one contract for every long-lived part of a process.
 *
 * <p>{@code start} returns once the part runs, or throws and has undone itself; {@code stop} waits, may come twice, and
 * goes in the reverse order of the start. A periodic body cannot die of an exception. A container that wires and starts
 * by annotation was rejected: the order is the design, and it is to be read in one place.
 */
@NullMarked
package io.bellwether.lifecycle;

import org.jspecify.annotations.NullMarked;
