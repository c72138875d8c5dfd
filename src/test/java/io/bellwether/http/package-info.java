/** Tests of the HTTP side, over real sockets. */
@NullMarked
package io.bellwether.http;

import org.jspecify.annotations.NullMarked;
