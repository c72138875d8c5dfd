package io.bellwether.lease;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.bellwether.schedule.CronSchedule;

/**
 * Several processes, one job, a database and a Redis, to which anything happens. After each event the invariants hold;
 * after peace returned, every tick is accounted for. The same seed gives the same story. Not thread safe.
 */
final class ModelWorld {
    static final Duration LEASE = Duration.ofSeconds(30);
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final List<Every> SCHEDULES = List.of(new Every("* * * * * *", 1), new Every("*/5 * * * * *", 5),
            new Every("0 * * * * *", 60), new Every("0 */10 * * * *", 600));
    private static final int STEPS = 250;

    /** A schedule, and its period by hand, so that what the rule counts is counted once more without it. */
    private record Every(String text, long seconds) {}

    private final Random random;
    private final Every every;
    private final List<String> story = new ArrayList<>();
    private final List<ModelProcess> processes = new ArrayList<>();
    private final CronSchedule schedule;
    private Instant now = BEGIN;
    private Instant latest = BEGIN;
    private int born;
    private long highestFence;
    private final Map<Long, Long> effectsOfRow = new HashMap<>();
    private final Set<Instant> effects = new HashSet<>();
    private final Set<Long> fences = new HashSet<>();

    final InstantSource clock = () -> now;
    final FakeRedis redis = new FakeRedis();
    final ModelLedger ledger;

    ModelWorld(long seed) {
        this(seed, ModelLedger.Flaw.NONE);
    }

    ModelWorld(long seed, ModelLedger.Flaw flaw) {
        random = new Random(seed);
        every = SCHEDULES.get(random.nextInt(SCHEDULES.size()));
        schedule = CronSchedule.parse(every.text(), "UTC");
        ledger = new ModelLedger(clock, schedule.text(), BEGIN, flaw);
        if (random.nextInt(3) == 0) {
            ledger.skips();
        }
        int size = random.nextInt(1, 5);
        for (int i = 0; i < size; i++) {
            processes.add(new ModelProcess("p" + ++born, this));
        }
    }

    void say(String event) {
        story.add(now + " " + event);
    }

    String story() {
        return String.join("\n", story) + "\nrows:\n"
                + String.join("\n", ledger.rows.all().stream().map(Object::toString).toList());
    }

    /** The whole story: trouble, then peace. */
    void run() throws Exception {
        for (int step = 0; step < STEPS; step++) {
            event();
            invariants();
        }
        peace();
        invariants();
        settled();
    }

    private void event() throws Exception {
        ModelProcess process = processes.get(random.nextInt(processes.size()));
        int dice = random.nextInt(100);
        if (dice < 25) {
            advance(Duration.ofMillis(random.nextInt(1, 3_000)));
        } else if (dice < 27) {
            advance(Duration.ofSeconds(random.nextInt(5, 120)));
        } else if (dice < 28) {
            advance(Duration.ofMinutes(random.nextInt(1, 3 * 24 * 60)));
        } else if (dice < 68) {
            if (!process.paused) {
                process.act(random);
            }
        } else if (dice < 78) {
            if (!process.paused) {
                process.beat();
            }
        } else if (dice < 86) {
            if (!process.paused) {
                end(process);
            }
        } else {
            trouble(process, random.nextInt(16));
        }
    }

    private void end(ModelProcess process) {
        switch (random.nextInt(5)) {
            case 0 -> process.finish("unchanged");
            case 1 -> process.finish("failed");
            default -> process.publish();
        }
    }

    private void trouble(ModelProcess process, int kind) throws Exception {
        say("trouble " + kind + " " + process);
        switch (kind) {
            case 0 -> {
                processes.remove(process);
                processes.add(new ModelProcess("p" + ++born, this)); // kill -9, started again under a new name
            }
            case 1 -> {
                process.terminate();
                processes.remove(process);
                processes.add(new ModelProcess("p" + ++born, this));
            }
            case 2 -> process.paused = true;
            case 3, 4 -> process.paused = false;
            case 5 -> redis.weather(FakeRedis.Weather.DOWN);
            case 6 -> redis.weather(FakeRedis.Weather.MUTE);
            case 7, 8 -> redis.weather(FakeRedis.Weather.UP);
            case 9 -> redis.flush();
            case 10 -> redis.expire("demo");
            case 11 -> ledger.up(false);
            case 12 -> ledger.up(true);
            case 13 -> ledger.losesNextAnswer();
            case 14 -> moveClock();
            default -> operate();
        }
    }

    /** The database's clock is set, a little forward or back. */
    private void moveClock() {
        now = now.plusMillis(random.nextInt(-5_000, 5_000));
        latest = now.isAfter(latest) ? now : latest;
    }

    private void operate() throws Exception {
        if (random.nextBoolean()) {
            try {
                ledger.enqueue();
            } catch (java.sql.SQLException e) {
                say("nobody could ask for a run");
            }
        } else if (ledger.pausedUntil == null || !ledger.pausedUntil.isAfter(now)) {
            ledger.pausedUntil = random.nextBoolean() ? Instant.MAX : now.plusSeconds(random.nextInt(1, 60));
        } else {
            ledger.pausedUntil = now;
        }
    }

    private void advance(Duration time) {
        now = now.plus(time);
        latest = now.isAfter(latest) ? now : latest;
    }

    /** All is well again: everybody acts, works end, locks of the dead expire. */
    private void peace() throws Exception {
        say("peace");
        now = latest;
        redis.weather(FakeRedis.Weather.UP);
        ledger.up(true);
        ledger.answers();
        if (ledger.pausedUntil != null && ledger.pausedUntil.isAfter(now)) {
            ledger.pausedUntil = now;
        }
        processes.forEach(process -> process.paused = false);
        for (int round = 0; round < 400; round++) {
            advance(Duration.ofMillis(200));
            if (round % 50 == 0 && processes.stream().noneMatch(ModelProcess::isRunning)) {
                redis.expire("demo"); // Nobody renews it.
            }
            for (ModelProcess process : processes) {
                process.act(random);
                process.act(random);
                process.beat();
                process.publish();
            }
            invariants();
        }
    }

    private void invariants() {
        effects.clear();
        fences.clear();
        int running = 0;
        for (ModelRows.Row row : ledger.rows.all()) {
            running += row.state.equals("running") ? 1 : 0;
            if (row.state.equals("published")) {
                require(effects.add(row.tick), "a second effect of a tick", row);
                effectsOfRow.putIfAbsent(row.id, row.fence);
            }
            require(effectsOfRow.getOrDefault(row.id, row.fence) == row.fence, "published by another since", row);
            require(row.claimedAt == null || fences.add(row.fence), "fence twice", row);
            highestFence = Math.max(highestFence, row.fence);
        }
        require(running <= 1, "running at once", running);
        require(ledger.effects() == effects.size(), "effects that no row tells of", ledger.effects());
    }

    /** After peace: no run is left, and the ticks up to now are accounted for, each once. */
    private void settled() {
        Set<String> attempts = new HashSet<>();
        Map<Instant, ModelRows.Row> last = new HashMap<>();
        long accounted = 0;
        for (ModelRows.Row row : ledger.rows.all()) {
            require(!row.state.equals("running") && !row.state.equals("queued"), "left after peace", row);
            require(attempts.add(row.tick + "#" + row.attempt), "attempt twice", row);
            require(row.attempt == 1 || attempts.contains(row.tick + "#" + (row.attempt - 1)), "attempts out of order",
                    row);
            require(row.claimedAt == null || !row.kind.equals("cron") || !row.claimedAt.isBefore(row.tick), "early",
                    row);
            accounted += row.attempt == 1 && row.kind.equals("cron") ? row.ticks : 0;
            last.put(row.tick, row);
        }
        for (ModelRows.Row row : last.values()) {
            require(!row.state.equals("abandoned") || row.gaveUp, "dropped without a reason", row);
        }
        Instant next = schedule.next(ledger.cursor);
        require(next != null && next.isAfter(now.minusSeconds(2)), "a tick is left", next);
        long due = Duration.between(BEGIN, ledger.cursor).toSeconds() / every.seconds();
        require(accounted == due, "ticks up to the cursor, each accounted for once: " + due, accounted);
        require(highestFence <= ledger.rows.all().size(), "fences that no run has", highestFence);
    }

    /** Cheap when it holds: it is asked millions of times. */
    private static void require(boolean holds, String otherwise, @Nullable Object what) {
        if (!holds) {
            throw new AssertionError(otherwise + ": " + what);
        }
    }
}
