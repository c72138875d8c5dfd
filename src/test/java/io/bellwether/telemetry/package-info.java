@NullMarked
package io.bellwether.telemetry;

import org.jspecify.annotations.NullMarked;
