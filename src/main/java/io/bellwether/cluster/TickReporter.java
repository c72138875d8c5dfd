package io.bellwether.cluster;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.UnaryOperator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;

import io.bellwether.cluster.AdminClient.Answer;

/**
 * One line per tick: which process led, what it published, who skipped. Reads the ledger through the admin API, as any
 * person could, and takes who skipped from the logs, because a process that skips writes nothing else. What it cannot read
 * it leaves out. One pass is {@link #look}; it belongs to one thread.
 */
final class TickReporter {
    private static final int RUNS_PER_LOOK = 50;
    private static final int REMEMBERED = 500;
    private static final Duration HELD_BACK = Duration.ofSeconds(3);
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final Set<String> OPEN = Set.of("queued", "running");

    private final AdminClient client;
    private final String adminToken;
    private final SkippedTicks skipped;
    private final UnaryOperator<String> label;
    private final ZoneId zone;
    private final Consumer<String> say;
    private final Map<String, JsonNode> lastSeen = new HashMap<>();
    private final Map<String, Set<String>> told = new HashMap<>();
    private final Set<String> withOpenRuns = new LinkedHashSet<>();
    private final Map<String, Long> heldSince = new HashMap<>();
    private final IntSupplier others;
    private boolean begun;

    /**
     * @param label what a person calls the process of that name
     * @param others how many processes skip a tick when all are well
     */
    TickReporter(AdminClient client, String adminToken, SkippedTicks skipped, UnaryOperator<String> label,
            IntSupplier others, ZoneId zone, Consumer<String> say) {
        this.client = client;
        this.adminToken = adminToken;
        this.skipped = skipped;
        this.label = label;
        this.others = others;
        this.zone = zone;
        this.say = say;
    }

    /** Looks once; what had ended before the first look is taken as told. */
    void look() throws IOException, InterruptedException {
        Answer jobs = client.get(adminToken, "/v1/admin/jobs");
        if (!jobs.ok()) {
            return;
        }
        for (JsonNode job : jobs.body().path("jobs")) {
            String name = job.path("job").asText("");
            JsonNode before = lastSeen.getOrDefault(name, MissingNode.getInstance());
            boolean moved = !before.path("lastRun").equals(job.path("lastRun"))
                    || !before.path("running").equals(job.path("running"));
            if (!name.isEmpty() && (moved || withOpenRuns.contains(name))) {
                report(name);
                lastSeen.put(name, job);
            }
        }
        begun = true;
    }

    private void report(String job) throws IOException, InterruptedException {
        Answer answer = client.get(adminToken, "/v1/admin/jobs/" + job + "/runs?limit=" + RUNS_PER_LOOK);
        if (!answer.ok()) {
            return;
        }
        List<JsonNode> runs = new ArrayList<>();
        answer.body().path("runs").forEach(runs::add);
        Collections.reverse(runs);
        Set<String> ids = told.computeIfAbsent(job, _ -> new LinkedHashSet<>());
        withOpenRuns.remove(job);
        for (JsonNode run : runs) {
            if (OPEN.contains(run.path("state").asText(""))) {
                withOpenRuns.add(job);
            } else if (begun && !ids.contains(run.path("id").asText("")) && !othersHaveSpoken(job, run)) {
                withOpenRuns.add(job);
                break;
            } else if (ids.add(run.path("id").asText("")) && begun) {
                say.accept(line(job, run));
            }
        }
        while (ids.size() > REMEMBERED) {
            ids.remove(ids.iterator().next());
        }
    }

    /** A process says that it skipped a second or so after the tick; a line is held back a little for that. */
    private boolean othersHaveSpoken(String job, JsonNode run) {
        String id = run.path("id").asText("");
        long now = System.nanoTime();
        long since = heldSince.computeIfAbsent(id, _ -> now);
        boolean complete = tick(run).map(tick -> skipped.of(job, tick).size() >= others.getAsInt()).orElse(true)
                || !run.path("kind").asText("").equals("cron") || run.path("process").isNull();
        if (complete || now - since > HELD_BACK.toNanos()) {
            heldSince.remove(id);
            return true;
        }
        return false;
    }

    private static Optional<Instant> tick(JsonNode run) {
        try {
            return Optional.of(Instant.parse(run.path("scheduledAt").asText("")));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    private String line(String job, JsonNode run) {
        StringBuilder line = new StringBuilder();
        Optional<Instant> tick = tick(run);
        line.append(
                tick.map(at -> LocalTime.ofInstant(at, zone).format(TIME)).orElse(run.path("scheduledAt").asText("")));
        String state = run.path("state").asText("");
        line.append("  ").append(job).append("  ");
        String process = run.path("process").asText("");
        if (!process.isEmpty()) {
            line.append(label.apply(process)).append(" led: ");
        }
        line.append(state);
        if (run.path("revision").isNumber() && state.equals("published")) {
            line.append(" revision ").append(run.path("revision").asLong());
            line.append(String.format(Locale.ROOT, " (%d put, %d deleted, %d unchanged)", run.path("upserts").asLong(),
                    run.path("deletes").asLong(), run.path("unchanged").asLong()));
        }
        if (run.path("ticks").asInt(1) > 1) {
            line.append(" (").append(run.path("ticks").asInt()).append(" ticks)");
        }
        if (run.path("durationMs").isNumber()) {
            line.append(" in ").append(Duration.ofMillis(run.path("durationMs").asLong()).toMillis()).append(" ms");
        }
        if (run.path("attempt").asInt(1) > 1) {
            line.append(", attempt ").append(run.path("attempt").asInt());
        }
        if (run.path("gate").asText("").equals("postgres")) {
            line.append(", without Redis");
        }
        String reason = run.path("reason").asText("");
        if (!reason.isEmpty() && !reason.equals("null")) {
            line.append(": ").append(reason);
        }
        List<String> bystanders = tick.map(at -> skipped.of(job, at)).orElse(List.of());
        if (!bystanders.isEmpty()) {
            line.append("; skipped: ").append(String.join(" ", bystanders));
        }
        return line.toString();
    }
}
