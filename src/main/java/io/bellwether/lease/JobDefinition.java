package io.bellwether.lease;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A job as declared. Immutable.
 *
 * @param name its name; a set's refresh job bears the set's name
 * @param kind {@code refresh} or {@code retention}
 * @param setId the row in {@code policy_set}, or null
 * @param schedule cron text, checked by {@link io.bellwether.schedule.CronSchedule#written}
 * @param zone the schedule's time zone
 * @param misfire {@code coalesce} or {@code skip}
 * @param misfireWindow how old the newest missed tick may be to get a late run
 * @param maxRuntime how long one run may take
 * @param enabled whether its schedule fires
 */
public record JobDefinition(String name, String kind, @Nullable Long setId, String schedule, String zone,
        String misfire, Duration misfireWindow, Duration maxRuntime, boolean enabled) {}
