package io.bellwether.lease;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.bellwether.schedule.JobSight;
import io.bellwether.schedule.NextStep;
import io.bellwether.schedule.Step;

/**
 * One process of the model: the real rule and the real memory of a job, and by hand what the threads do around them, in
 * pieces between which anything may happen. Not thread safe.
 */
final class ModelProcess {
    /** A step that passed the gate and is not taken yet. */
    private record Gated(JobRow job, Step step, Gate.@Nullable Pass pass) {}

    private final String name;
    private final ModelWorld world;
    private final Gate gate;
    private @Nullable JobEntry entry;
    private @Nullable Gated gated;
    private @Nullable Claim claim;
    private Gate.@Nullable Pass pass;
    private Instant lastGood = Instant.MIN;

    /** Stopped by SIGSTOP: nothing happens here, and it does not know. */
    boolean paused;

    ModelProcess(String name, ModelWorld world) {
        this.name = name;
        this.world = world;
        this.gate = world.redis.gate();
    }

    boolean isRunning() {
        return claim != null;
    }

    /** One pass of the timer, up to the gate; or the claim behind it. */
    void act(Random random) {
        try {
            if (gated != null) {
                claimGated();
            } else {
                pass(random);
            }
        } catch (SQLException e) {
            world.say(name + " was told: " + e.getMessage());
        }
    }

    private void pass(Random random) throws SQLException {
        JobRow job = world.ledger.look().getFirst();
        JobEntry known = entry;
        if (known == null) {
            known = new JobEntry(job);
            entry = known;
        } else {
            known.seen(job, System.nanoTime());
        }
        // What it takes for the time is off by some milliseconds, either way.
        Instant now = world.clock.instant().plusMillis(random.nextInt(-20, 21));
        Step step = NextStep.of(Objects.requireNonNull(known.sight(JobSight.Manners.NONE)), now);
        switch (step) {
            case Step.Wait wait -> {
                // Nothing to do.
            }
            case Step.Overlapped(var ticks) -> world.ledger.overlapped(job, ticks);
            case Step.Missed(var ticks) -> world.ledger.missed(job, ticks);
            case Step.Paused(var ticks) -> world.ledger.paused(job, ticks);
            case Step.Claim(Instant tick, boolean asks) -> enter(known, job, step, asks, tick);
            case Step.ClaimQueued(long id, Instant since, boolean asks) -> enter(known, job, step, asks, since);
            case Step.Retry(Instant tick, int attempt, boolean asks) -> enter(known, job, step, asks, tick);
            case Step.TakeOver takeOver -> enter(known, job, step, true, Instant.MIN);
        }
    }

    private void enter(JobEntry known, JobRow job, Step step, boolean asks, Instant subject) {
        if (claim != null) {
            return; // One run at a time is enough for the model.
        }
        if (!asks) {
            known.haunted(world.clock.instant());
        }
        Gate.Answer answer = asks ? gate.tryEnter("demo") : new Gate.Unavailable("not asked");
        world.say(name + " " + step + " " + answer.getClass().getSimpleName());
        switch (answer) {
            case Gate.Won(Gate.Pass won) -> gated = new Gated(job, step, won);
            case Gate.Unavailable unavailable -> gated = new Gated(job, step, null);
            case Gate.Held held -> {
                if (step instanceof Step.TakeOver) {
                    gated = new Gated(job, step, null);
                } else {
                    known.lost(subject, world.clock.instant());
                }
            }
        }
    }

    private void claimGated() throws SQLException {
        Gated now = Objects.requireNonNull(gated);
        gated = null;
        Ticket ticket = new Ticket(name, UUID.randomUUID(), Gate.used(now.pass()), ModelWorld.LEASE);
        Instant sent = world.clock.instant();
        boolean won = false;
        try {
            ClaimOutcome outcome = switch (now.step()) {
                case Step.Claim(Instant tick, boolean asks) -> world.ledger.claim(now.job(), tick, ticket);
                case Step.ClaimQueued(long id, Instant since, boolean asks) ->
                    world.ledger.claimQueued(now.job(), id, ticket);
                case Step.Retry(Instant tick, int attempt, boolean asks) ->
                    world.ledger.retry(now.job(), tick, attempt, ticket);
                case Step.TakeOver(long id, boolean superseded) ->
                    world.ledger.takeOver(now.job(), id, superseded, ticket);
                default -> throw new IllegalStateException();
            };
            world.say(name + " " + now.step() + " " + outcome);
            if (outcome instanceof ClaimOutcome.Won(Claim mine)) {
                claim = mine;
                pass = now.pass();
                lastGood = sent;
                won = true;
            }
        } finally {
            if (!won && now.pass() != null) {
                now.pass().leave();
            }
        }
    }

    /** A heartbeat, and what the guard does when there was none for too long. */
    void beat() {
        Claim run = claim;
        if (run == null) {
            return;
        }
        Instant sent = world.clock.instant();
        boolean lost = Duration.between(lastGood, sent).compareTo(ModelWorld.LEASE.multipliedBy(2).dividedBy(3)) > 0;
        try {
            if (world.ledger.beat(Map.of(run.runId(), new Ledger.Held(run.nonce(), null)), ModelWorld.LEASE)
                    .getOrDefault(run.runId(), false)) {
                lastGood = sent;
            } else {
                lost = true;
            }
        } catch (SQLException e) {
            world.say(name + " beat: " + e.getMessage());
        }
        if (lost) {
            lost(run);
        }
    }

    private void lost(Claim run) {
        try {
            if (world.ledger.fenced(run, "lost").equals("running")) {
                world.ledger.giveBack(run, false);
            }
        } catch (SQLException e) {
            world.say(name + " lost, and could not say so");
        }
        ended("lost");
    }

    /** The work ends; the publish is one transaction, whenever it comes. */
    void publish() {
        Claim run = claim;
        if (run == null) {
            return;
        }
        try {
            if (!world.ledger.publish(run)) {
                lost(run);
                return;
            }
        } catch (SQLException e) {
            world.say(name + " publish: " + e.getMessage());
            settle(run);
            return;
        }
        ended("published");
    }

    /** The answer to a publish was lost. */
    private void settle(Claim run) {
        try {
            if (world.ledger.settle(run).equals("running")) {
                world.ledger.finish(run, Ledger.End.of("failed", "lost"), false);
            }
            ended("settled");
        } catch (SQLException e) {
            ended("could not settle");
        }
    }

    void finish(String state) {
        Claim run = claim;
        if (run == null) {
            return;
        }
        try {
            String now = world.ledger.finish(run, Ledger.End.of(state, "model"), false);
            if (now.equals("abandoned") || now.equals("superseded")) {
                world.ledger.fenced(run, "late");
            }
            ended(now);
        } catch (SQLException e) {
            world.say(name + " finish: " + e.getMessage()); // Tried again later.
        }
    }

    /** SIGTERM past its grace: gives back what it runs, leaves the gate. */
    void terminate() {
        Claim run = claim;
        if (run != null) {
            try {
                world.ledger.giveBack(run, true);
            } catch (SQLException e) {
                world.say(name + " could not give back");
            }
            ended("given back");
        }
        Gated waiting = gated;
        if (waiting != null && waiting.pass() != null) {
            waiting.pass().leave();
        }
        gated = null;
    }

    private void ended(String how) {
        world.say(name + " ended: " + how);
        claim = null;
        if (pass != null) {
            pass.leave();
        }
        pass = null;
    }

    @Override
    public String toString() {
        return name;
    }
}
