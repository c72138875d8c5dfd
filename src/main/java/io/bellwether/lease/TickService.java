package io.bellwether.lease;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.bellwether.database.Database;
import io.bellwether.database.DatabaseClock;
import io.bellwether.lifecycle.Periodic;
import io.bellwether.lifecycle.Service;
import io.bellwether.schedule.JobSight;
import io.bellwether.schedule.NextStep;
import io.bellwether.schedule.Step;
import io.bellwether.telemetry.Meters;

/**
 * The timer of one process: fires the ticks of all jobs, keeps the runs that it won, takes over those of dead processes.
 * Thread safe.
 *
 * <p>One thread decides; it sleeps for at most a second, reads the clock again each time, and waits for nothing but one
 * look at the database. Whatever takes time happens on other threads.
 */
public final class TickService implements Service {
    private static final Logger log = LoggerFactory.getLogger(TickService.class);

    private static final Duration LONGEST_SLEEP = Duration.ofSeconds(1);
    private static final Duration SAMPLE = Duration.ofSeconds(3);
    private static final Duration WORTH_A_WARNING = Duration.ofSeconds(1);
    private static final Duration NOT_TRUSTED = Duration.ofSeconds(30);
    private static final Duration DECIDE = GivingBack.LIMIT.plusSeconds(1);
    private static final Duration AFTER_ERROR = Duration.ofSeconds(10);
    private static final Duration ABORT = Duration.ofSeconds(3);

    /** How much longer a process holds back for each run it has under way, and after it led the job's last tick. */
    private static final int BUSY_MILLIS = 15;
    private static final int SPREAD_MILLIS = 8;
    private static final int PATIENCE_MILLIS = 2_000;

    private final Database database;
    private final DatabaseClock clock;
    private final Ledger ledger;
    private final Meters meters;
    private final String process;
    private final Slots slots;
    private final LiveRuns live;
    private final JobBoard board;
    private final Attempts attempts;
    private final Periodic timer = new Periodic("timer", LONGEST_SLEEP, this::runOnce);
    private final Periodic sampler = new Periodic("clock", SAMPLE, this::sample);
    private final AtomicBoolean asked = new AtomicBoolean(true);
    private volatile boolean warned;
    private volatile boolean trusted = true;
    private volatile double aliveAt;

    /**
     * A timer that does not run yet.
     *
     * @param database where the jobs are
     * @param clock the database's; sampled by this service from its start on
     * @param gate asked before each claim; started and stopped by its owner, after and before this service
     * @param works what to do, by kind of job
     * @param meters gets what happens
     * @param process the name of this process, unlike that of any other
     * @param lease how long a run outlives a process that fell silent
     */
    public TickService(Database database, DatabaseClock clock, Gate gate, Map<String, JobWork> works, Meters meters,
            String process, Duration lease) {
        this(database, clock, gate, works, meters, process, lease, new JobLedger(database));
    }

    TickService(Database database, DatabaseClock clock, Gate gate, Map<String, JobWork> works, Meters meters,
            String process, Duration lease, Ledger ledger) {
        this.database = database;
        this.clock = clock;
        this.ledger = ledger;
        this.meters = meters;
        this.process = process;
        this.slots = new Slots(Math.max(1, database.poolSize() / 3));
        Trouble trouble = new Trouble(meters);
        this.live = new LiveRuns(ledger, lease, trouble);
        this.board = new JobBoard(ledger, works.keySet(), process, meters);
        this.attempts = new Attempts(ledger, gate, Map.copyOf(works), live, slots, meters, trouble, clock, process,
                lease,
                timer::nudge);
    }

    @Override
    public String name() {
        return "ticks";
    }

    @Override
    public void start() {
        meters.gauge("database_up", "whether the last look at the jobs succeeded", () -> board.isUp() ? 1 : 0);
        meters.gauge("clock_offset_seconds", "the database's time less the local one",
                () -> clock.offset().toMillis() / 1000.0);
        meters.gauge("scheduler_alive_timestamp_seconds", "when the timer last made a pass", () -> aliveAt);
        meters.gauge("runs_hanging", "runs that were given up and whose thread does not end", slots::hanging);
        live.start();
        sampler.start();
        timer.start();
    }

    /** Makes the timer look at the jobs now: a job was changed, or a run was asked for. Never waits. */
    public void nudge() {
        asked.set(true);
        timer.nudge();
    }

    @Override
    public void stop(Duration grace) {
        attempts.stop();
        timer.stop(Duration.ofSeconds(1));
        try {
            attempts.awaitDecided(DECIDE);
            if (!live.awaitNone(grace)) {
                live.all().forEach(run -> {
                    log.info("job={} tick={} is told to stop and given back", run.job(), run.scheduledAt());
                    run.tell(LiveRun.Stop.SHUTDOWN, "the process stops");
                });
                if (!live.awaitNone(ABORT)) {
                    // Runs whose threads do not listen.
                    GivingBack.all(ledger, live.all().stream().map(LiveRun::claim).toList());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        sampler.stop(Duration.ofSeconds(1));
        live.stop();
    }

    private Duration sample() {
        try {
            clock.sample(database);
        } catch (SQLException e) {
            log.debug("the database's clock could not be read; it goes on from the last sample", e);
            return LONGEST_SLEEP;
        }
        Duration offset = clock.offset().abs();
        if (offset.compareTo(WORTH_A_WARNING) > 0 != warned) {
            warned = !warned;
            log.warn(warned
                    ? "the local clock is {}; ticks follow the database's"
                    : "the local clock agrees with the database's again: it is {}", words(clock.offset()));
        }
        boolean good = offset.compareTo(NOT_TRUSTED) <= 0;
        if (good != trusted) {
            trusted = good;
            log.warn(good
                    ? "claiming ticks again: the local clock is {}"
                    : "claiming no ticks: the local clock is {}", words(clock.offset()));
            nudge();
        }
        return SAMPLE;
    }

    /** @param offset the database's time less the local one */
    private static String words(Duration offset) {
        return String.format(Locale.ROOT, "%.3f s %s the database's", offset.abs().toMillis() / 1000.0,
                offset.isNegative() ? "ahead of" : "behind");
    }

    /** One pass: a look if one is due, then a step for each job that needs one. Returns how long to sleep. */
    Duration runOnce() {
        aliveAt = clock.instant().toEpochMilli() / 1000.0;
        boolean lookAsked = asked.getAndSet(false);
        if (!board.refresh(lookAsked)) {
            return LONGEST_SLEEP;
        }
        if (!clock.isSampled()) {
            sampler.nudge();
            return Duration.ofMillis(50);
        }
        if (!trusted) {
            return LONGEST_SLEEP;
        }
        Instant now = clock.instant();
        Instant next = now.plus(board.untilLook());
        for (JobEntry entry : board.jobs()) {
            Instant wanted = considerCalmly(entry, now);
            next = wanted.isBefore(next) ? wanted : next;
        }
        Duration sleep = Duration.between(clock.instant(), next);
        return sleep.isNegative() ? Duration.ZERO : sleep.compareTo(LONGEST_SLEEP) > 0 ? LONGEST_SLEEP : sleep;
    }

    /** One job that cannot be thought about must not keep the others, behind it in the list, from their ticks. */
    private Instant considerCalmly(JobEntry entry, Instant now) {
        try {
            return consider(entry, now);
        } catch (RuntimeException e) {
            entry.rest(AFTER_ERROR);
            log.error("job={} no step could be found for it; again in {}", entry.row().name(), AFTER_ERROR, e);
            return now.plus(AFTER_ERROR);
        }
    }

    /** Takes the next step for one job, if there is one; returns when to come back. */
    private Instant consider(JobEntry entry, Instant now) {
        if (entry.isAwaited()) {
            return Instant.MAX;
        }
        Duration rest = entry.resting();
        if (rest.isPositive()) {
            return now.plus(rest);
        }
        JobSight sight = entry.sight(manners(entry.row()));
        if (sight == null) {
            return Instant.MAX;
        }
        Step step = NextStep.of(sight, now);
        if (step instanceof Step.Wait(Instant until)) {
            return until;
        }
        attempts.begin(entry, step);
        return Instant.MAX;
    }

    private JobSight.Manners manners(JobRow row) {
        int busy = slots.taken();
        JobRow.Newest newest = row.newest();
        boolean ledLast = newest != null && process.equals(newest.process());
        int spread = Math.floorMod((process + row.name() + row.cursor()).hashCode(), SPREAD_MILLIS);
        int patience = Math.floorMod((row.name() + process).hashCode(), PATIENCE_MILLIS);
        return new JobSight.Manners(Duration.ofMillis((busy + (ledLast ? 1L : 0L)) * BUSY_MILLIS + spread),
                Duration.ofMillis(patience));
    }

    /** For tests: whether it was told to stop. */
    boolean isStopping() {
        return attempts.isStopping();
    }

    /** For tests that make this process fall silent as if it were paused. */
    void fallSilent() {
        attempts.stop();
        timer.stop(Duration.ofSeconds(1));
        live.silence();
    }
}
