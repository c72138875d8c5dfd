/**
 * The meters: a closed list of names and tags, so that dashboards and scripts can rely on them.
 */
@NullMarked
package io.bellwether.telemetry;

import org.jspecify.annotations.NullMarked;
