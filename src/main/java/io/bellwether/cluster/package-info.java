/**
 * A whole cluster on one machine without Docker, behind {@code bellwether up}: a real PostgreSQL, a real Redis, nginx and
 * N {@code serve} processes, each an operating system process of its own.
 *
 * <p>Purpose: that a person sees the real thing within seconds of a clone, and that the end-to-end tests run against
 * exactly what that person runs. Nothing in here is imitated, and {@code serve} does not know that it runs under
 * {@code up}: it is configured by its environment as everywhere else, and the embedded servers are never on its class
 * path.
 *
 * <p>Invariant: nothing outlives {@code up}. Every child is in a session of its own, so that a ctrl-C reaches {@code up}
 * alone and the stop keeps its order (processes, nginx, Redis, PostgreSQL). Should {@code up} itself be killed, the
 * processes see the end of their standard input, and a small shell that waits on the same kind of pipe
 * ({@link io.bellwether.cluster.Guardian}) ends the rest. Should that be killed too, the next start on the same folder
 * finds what was recorded ({@link io.bellwether.cluster.PidFile}), checks by start time that it is the same process, and
 * ends it first.
 *
 * <p>Rejected: the builders that come with the embedded servers. They are made for tests: fsync off, trust
 * authentication, data thrown away, a JVM shutdown hook of their own. Only their binaries are used. Rejected too: the
 * kernel's parent-death signal, which fires when the <em>thread</em> that started the child ends.
 */
@NullMarked
package io.bellwether.cluster;

import org.jspecify.annotations.NullMarked;
