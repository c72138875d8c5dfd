package io.bellwether.schedule;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * What a process sees of a job at one moment: its row, and what the process remembers. Immutable. All instants are the
 * database's.
 *
 * @param schedule its ticks
 * @param misfire what becomes of late ones
 * @param enabled whether the schedule fires
 * @param pausedUntil until when it is or was paused, or null; {@link Instant#MAX}: until resumed
 * @param cursor every tick at or before this instant has its row
 * @param running the run under way, or null
 * @param queued the oldest manual run that waits, or null
 * @param failed the last run of the newest tick that was run, if it failed and nothing but overlapped ticks came since; or
 *        null
 * @param lostGate what this process' last lost gate was about, or null
 * @param gateHauntedUntil until when the gate is not asked, because it was held and yet nobody ran; or null
 * @param manners how this process behaves towards the others
 */
public record JobSight(CronSchedule schedule, MisfirePolicy misfire, boolean enabled, @Nullable Instant pausedUntil,
        Instant cursor, @Nullable Running running, @Nullable Queued queued, @Nullable Failed failed,
        @Nullable LostGate lostGate, @Nullable Instant gateHauntedUntil, Manners manners) {

    /**
     * A run under way, anywhere.
     *
     * @param runId its row
     * @param claimedAt when it was claimed
     * @param leaseUntil when it counts as dead unless renewed
     * @param handedOver whether its process gave it back
     * @param manual whether somebody asked for it, so that no tick of the schedule takes its place
     */
    public record Running(long runId, Instant claimedAt, Instant leaseUntil, boolean handedOver, boolean manual) {}

    /**
     * A manual run that waits.
     *
     * @param runId its row
     * @param since when it was asked for
     */
    public record Queued(long runId, Instant since) {}

    /**
     * A run that failed.
     *
     * @param tick its tick, which overlapped ticks may have followed
     * @param attempt from 1; the next one is one more
     * @param tries attempts so far without those that stopping processes gave back, which count for nothing
     * @param finishedAt when it ended
     */
    public record Failed(Instant tick, int attempt, int tries, Instant finishedAt) {}

    /**
     * A gate that somebody else held.
     *
     * @param subject the instant of the tick or manual run that it was about
     * @param at when
     */
    public record LostGate(Instant subject, Instant at) {}

    /**
     * How a process behaves towards the others; advice, no safety rests on it.
     *
     * @param holdBack how long after its instant a tick is tried: a busy process lets the others go first
     * @param takeOverPatience how long after the end of a lease the run is taken over, so that not all come at once
     */
    public record Manners(Duration holdBack, Duration takeOverPatience) {
        /** At once. */
        public static final Manners NONE = new Manners(Duration.ZERO, Duration.ZERO);
    }
}
