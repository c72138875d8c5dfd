/**
 * What a process reads from its environment: refused when wrong, never repaired, all complaints at once.
 */
@NullMarked
package io.bellwether.settings;

import org.jspecify.annotations.NullMarked;
