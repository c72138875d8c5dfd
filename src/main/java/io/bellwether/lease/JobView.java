package io.bellwether.lease;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A job as people see it. Immutable.
 *
 * @param job its name; a set's refresh job bears the set's name
 * @param kind {@code refresh} or {@code retention}
 * @param schedule cron text
 * @param zone the schedule's time zone
 * @param enabled whether its schedule fires
 * @param pausedUntil until when it is paused ({@link Instant#MAX}: until resumed), or null when it is not
 * @param pauseReason why, or null
 * @param leader who runs it now, or else who ran it last; null when nobody ever did
 * @param running the run under way, or null
 * @param nextTick the next tick that no pause covers; null when it is disabled, paused until resumed, or the schedule
 *        cannot be read
 * @param lastRun the newest row, ticks without a run included, or null
 * @param lastSuccess the newest run that ended as {@code published} or {@code unchanged}, or null
 * @param problem why its schedule cannot be read, or null
 */
public record JobView(String job, String kind, String schedule, String zone, boolean enabled,
        @Nullable Instant pausedUntil, @Nullable String pauseReason, @Nullable String leader,
        @Nullable RunView running, @Nullable Instant nextTick, @Nullable RunView lastRun,
        @Nullable RunView lastSuccess, @Nullable String problem) {}
