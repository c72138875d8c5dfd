package io.bellwether.lease;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import io.bellwether.schedule.JobSight;

/**
 * A job as a look at the database found it, with the runs that matter to the next step. Immutable.
 *
 * @param jobId the row in {@code job}
 * @param name its name
 * @param kind what kind of work
 * @param version of the definition
 * @param schedule cron text, not checked
 * @param zone its zone, not checked
 * @param misfire {@code coalesce} or {@code skip}
 * @param misfireWindow how old the newest missed tick may be
 * @param enabled whether the schedule fires
 * @param pausedUntil until when it is or was paused, or null
 * @param cursor every tick at or before it has its row
 * @param running the run under way, or null
 * @param queuedId the oldest manual run that waits, or null
 * @param queuedSince its instant, or null
 * @param newest the last attempt at the tick of the cursor, or null
 * @param failed the last attempt at the newest tick that was run, if it failed and nothing but overlapped ticks came
 *        since; or null
 */
record JobRow(long jobId, String name, String kind, long version, String schedule, String zone, String misfire,
        Duration misfireWindow, boolean enabled, @Nullable Instant pausedUntil, Instant cursor,
        @Nullable Running running, @Nullable Long queuedId, @Nullable Instant queuedSince, @Nullable Newest newest,
        JobSight.@Nullable Failed failed) {

    /**
     * A run under way.
     *
     * @param runId its row
     * @param scheduledAt its tick
     * @param process who runs it
     * @param claimedAt since when
     * @param leaseUntil until when it counts as alive
     * @param handedOver whether its process gave it back
     * @param manual whether it, or the run that it took over, was asked for
     */
    record Running(long runId, Instant scheduledAt, String process, Instant claimedAt, Instant leaseUntil,
            boolean handedOver, boolean manual) {}

    /**
     * The last row of the newest tick that is accounted for. What was run by hand since leaves it as it is.
     *
     * @param kind {@code cron}, {@code manual} or {@code take-over}
     * @param scheduledAt its tick
     * @param state its state
     * @param attempt from 1
     * @param process who ran it, or null
     * @param finishedAt when it ended, or null
     */
    record Newest(String kind, Instant scheduledAt, String state, int attempt, @Nullable String process,
            @Nullable Instant finishedAt) {}
}
