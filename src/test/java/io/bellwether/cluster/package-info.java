/** The local cluster, on a real PostgreSQL, Redis and nginx. */
@NullMarked
package io.bellwether.cluster;

import org.jspecify.annotations.NullMarked;
