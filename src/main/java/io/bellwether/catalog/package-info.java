/**
 * What readers read: the heads in memory, and the segments on the host's disk.
 *
 * <p><b>Heads.</b> A process holds one immutable {@link io.bellwether.catalog.Heads}, replaced whole by one reference
 * swap. A request is answered from it after a look at the database's counter that <em>began after the request
 * arrived</em> ({@link io.bellwether.catalog.Looks}); whoever publishes raises the counter in the publishing
 * transaction, so no client can be answered from before a publish it already knows of, whichever process it asks. Looks
 * are shared by all requests then waiting, so their cost does not grow with the requests. Trusting notifications alone
 * was rejected: one is lost whenever the connection is away, and the process would answer "not modified" from the past
 * (agollo#48, nacos#10769). Asking the database in each request was rejected: thousands of polls a second would be as
 * many queries.
 *
 * <p><b>Away.</b> When looks fail or take longer than {@link io.bellwether.catalog.Looks#PATIENCE}, requests are answered
 * from memory and marked stale.
 *
 * <p><b>Segments</b> are immutable and named by their hash, so the cache ({@link io.bellwether.catalog.SegmentStore}) has
 * nothing to invalidate; it is shared by the processes of a host.
 */
@NullMarked
package io.bellwether.catalog;

import org.jspecify.annotations.NullMarked;
