package io.bellwether.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * A run that was won: what its row holds. Immutable. Its nonce is known to nobody else.
 *
 * @param runId the row in {@code run}
 * @param jobId the row in {@code job}
 * @param job the job's name
 * @param jobKind what kind of work
 * @param kind {@code cron}, {@code manual} or {@code take-over}
 * @param scheduledAt the tick
 * @param attempt from 1
 * @param fence the job's fence as raised by the claim
 * @param nonce compared by every later statement about the run
 * @param gate {@code redis} or {@code postgres}
 * @param maxRuntime how long it may take
 * @param request what a manual run was asked to do, or null
 * @param claimedAt by the database's clock
 */
record Claim(long runId, long jobId, String job, String jobKind, String kind, Instant scheduledAt, int attempt,
        long fence, UUID nonce, String gate, Duration maxRuntime, @Nullable String request, Instant claimedAt) {}
