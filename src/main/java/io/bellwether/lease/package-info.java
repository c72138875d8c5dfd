/**
 * Who runs this tick: gate, claim, heartbeat, fence, take-over.
 *
 * <p>Redis decides quickly who should; PostgreSQL decides who did. The gate (Redisson's lock of the job) is advice: it
 * saves the others the attempt. The claim (a row in {@code run}, under the job's row lock) decides, and the publish
 * compares the claim's nonce and the job's fence in the very transaction that moves the head, so that whatever dies,
 * pauses or drifts, at most one run of a tick takes effect. Trusting the lock alone was rejected: every lock with a
 * lease is held by two at once when its holder is paused for longer than the lease.
 */
@NullMarked
package io.bellwether.lease;

import org.jspecify.annotations.NullMarked;
