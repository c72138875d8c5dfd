/**
 * HTTP: routes, authentication, conditional requests, problem details, and a stop that loses no request.
 *
 * <p>The sole home of Javalin and Jetty. A resource is a {@link io.bellwether.http.RouteModule} of a few small handlers;
 * they see an {@link io.bellwether.http.Exchange}, fail by throwing a {@link io.bellwether.fault.Fault}, and say with
 * {@link io.bellwether.http.Access} who may call them, so that no handler can forget to ask. Every failure, also of an
 * unknown path or a request that is not HTTP, is a problem detail (RFC 9457).
 *
 * <p>What a fleet asks for all the time is answered ahead of the router, on the thread that read the request
 * ({@link io.bellwether.http.QuickEndpoint}); it may only say what the route's ordinary endpoint would have said, and
 * leaves to that one whatever takes a second thought.
 *
 * <p>What may be gigabytes is streamed from files; what waits (long polls) is held as an asynchronous request, not as a
 * thread. Compression and generated entity tags of the libraries are off: the tags are ours and name revisions, and a
 * tag that a filter changed would cost every client a full download (nginx's {@code gzip on} does that).
 */
@NullMarked
package io.bellwether.http;

import org.jspecify.annotations.NullMarked;
