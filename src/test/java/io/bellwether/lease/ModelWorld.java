package io.bellwether.lease;

import static org.assertj.core.api.Assertions.assertThat;

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

import io.bellwether.schedule.CronSchedule;

/**
 * Several processes, one job, a database and a Redis, to which anything happens. After each event the invariants hold;
 * after peace returned, every tick is accounted for. The same seed gives the same story. Not thread safe.
 */
final class ModelWorld {
    static final Duration LEASE = Duration.ofSeconds(30);
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final List<String> SCHEDULES = List.of("* * * * * *", "*/5 * * * * *", "0 * * * * *",
            "0 */10 * * * *");
    private static final int STEPS = 250;

    private final Random random;
    private final List<String> story = new ArrayList<>();
    private final List<ModelProcess> processes = new ArrayList<>();
    private final CronSchedule schedule;
    private Instant now = BEGIN;
    private Instant latest = BEGIN;
    private int born;
    private long highestFence;
    private final Map<Long, Long> effectsOfRow = new HashMap<>();

    final InstantSource clock = () -> now;
    final FakeRedis redis = new FakeRedis();
    final ModelLedger ledger;

    ModelWorld(long seed) {
        random = new Random(seed);
        schedule = CronSchedule.parse(SCHEDULES.get(random.nextInt(SCHEDULES.size())), "UTC");
        ledger = new ModelLedger(clock, schedule.text(), BEGIN);
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
                + String.join("\n", ledger.rows.stream().map(Object::toString).toList());
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
                invariants();
            }
        }
    }

    private void invariants() {
        Map<Instant, Integer> effects = new HashMap<>();
        Set<Long> fences = new HashSet<>();
        int running = 0;
        for (ModelLedger.Row row : ledger.rows) {
            running += row.state.equals("running") ? 1 : 0;
            if (row.state.equals("published")) {
                effects.merge(row.tick, 1, Integer::sum);
                effectsOfRow.putIfAbsent(row.id, row.fence);
            }
            assertThat(effectsOfRow.getOrDefault(row.id, row.fence)).as("published by another since: %s", row)
                    .isEqualTo(row.fence);
            assertThat(row.claimedAt == null || fences.add(row.fence)).as("fence twice: %s", row).isTrue();
            highestFence = Math.max(highestFence, row.fence);
        }
        assertThat(running).as("running at once").isLessThanOrEqualTo(1);
        assertThat(effects.values()).as("effects of a tick").allMatch(count -> count == 1);
        assertThat(ledger.effects()).as("effects and published rows")
                .isEqualTo(effects.values().stream().mapToLong(Integer::longValue).sum());
    }

    /** After peace: no run is left, and the ticks up to now are accounted for, each once. */
    private void settled() {
        Set<String> attempts = new HashSet<>();
        int accounted = 0;
        for (ModelLedger.Row row : ledger.rows) {
            assertThat(row.state).as("after peace: %s", row).isNotEqualTo("running").isNotEqualTo("queued");
            assertThat(attempts.add(row.tick + "#" + row.attempt)).as("attempt twice: %s", row).isTrue();
            assertThat(row.attempt == 1 || attempts.contains(row.tick + "#" + (row.attempt - 1)))
                    .as("attempts in order: %s", row).isTrue();
            if (row.claimedAt != null && row.kind.equals("cron")) {
                assertThat(row.claimedAt).as("early: %s", row).isAfterOrEqualTo(row.tick);
            }
            accounted += row.attempt == 1 && row.kind.equals("cron") ? row.ticks : 0;
        }
        assertThat(schedule.next(ledger.cursor)).as("no tick is left").isAfter(now.minusSeconds(2));
        int due = schedule.ticksBetween(BEGIN, ledger.cursor, Integer.MAX_VALUE).size();
        assertThat(accounted).as("ticks up to the cursor, each accounted for once").isEqualTo(due);
        assertThat(highestFence).as("fences are those of runs").isLessThanOrEqualTo(ledger.rows.size());
    }
}
