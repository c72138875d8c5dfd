package io.bellwether.cli;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bellwether run JOB}. */
@Command(name = "run", description = {"Runs a job now, on whichever process is first.",
        "With --wait the exit code tells what came of it: 0 published or unchanged, 3 refused by a guard, 1 failed."})
final class RunCommand extends ApiCommand {
    private static final Duration POLL = Duration.ofMillis(250);

    /** How long a command that does not wait tries to hand the run over. */
    private static final Duration HAND_OVER_LIMIT = Duration.ofSeconds(15);

    private static final Set<String> UNDER_WAY = Set.of("queued", "running");

    /** Ends of an attempt after which another may do the tick. */
    private static final Set<String> TAKEN_OVER = Set.of("abandoned", "fenced");

    @Parameters(index = "0", paramLabel = "JOB", description = "the job's name, which is that of its set")
    @SuppressWarnings("NullAway.Init")
    private String job;

    @Option(names = "--wait", description = "wait for the end of the run")
    private boolean wait;

    @Option(names = "--timeout", paramLabel = "DURATION", defaultValue = "PT15M", description = "how long --wait waits at most, such as PT10M or 10m (${DEFAULT-VALUE})", converter = DurationText.class)
    @SuppressWarnings("NullAway.Init")
    private Duration timeout;

    @Option(names = "--reason", paramLabel = "TEXT", description = "why, for those who read the runs")
    private @Nullable String reason;

    RunCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    int run(AdminApi client) throws Exception {
        long end = System.nanoTime() + (wait ? timeout : HAND_OVER_LIMIT).toNanos();
        JsonNode run = enqueue(client, end);
        if (!wait) {
            show(run, "queued as run " + Table.cell(run.path("id")) + " of " + job);
            return 0;
        }
        run = follow(client, run, end);
        String state = run.path("state").asText();
        switch (state) {
            case "published" -> show(run, "published revision " + Table.cell(run.path("revision")) + " of " + job + ": "
                    + counts(run));
            case "unchanged" -> show(run, "unchanged: " + Table.cell(run.path("unchanged")) + " policies as they were");
            default -> {
                if (api.json()) {
                    ApiOptions.print(terminal, run);
                }
                throw new CommandFailure(state.equals("refused") ? CommandFailure.REFUSED : CommandFailure.FAILED,
                        "run " + Table.cell(run.path("id")) + " of " + job + " ended as " + Table.plain(state)
                                + (run.path("reason").isTextual()
                                        ? ": " + Table.line(run.path("reason").asText())
                                        : ""));
            }
        }
        return 0;
    }

    private JsonNode enqueue(AdminApi client, long end) throws CommandFailure, InterruptedException {
        String key = UUID.randomUUID().toString();
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        if (reason != null) {
            body.put("reason", reason);
        }
        while (true) {
            try {
                return client.tryPost(path(), body, key);
            } catch (AdminApi.Unreachable e) {
                giveUpAfter(end, e);
            }
        }
    }

    private JsonNode follow(AdminApi client, JsonNode queued, long end) throws CommandFailure, InterruptedException {
        JsonNode run = queued;
        while (true) {
            if (System.nanoTime() > end) {
                throw new CommandFailure(CommandFailure.FAILED, "run " + Table.cell(run.path("id")) + " of " + job
                        + " is still " + Table.cell(run.path("state")) + " after " + timeout);
            }
            String state = run.path("state").asText();
            try {
                if (UNDER_WAY.contains(state)) {
                    TimeUnit.NANOSECONDS.sleep(POLL.toNanos());
                    run = client.tryGet(path() + "/" + run.path("id").asLong());
                } else if (TAKEN_OVER.contains(state)) {
                    Optional<JsonNode> next = nextAttempt(client, run);
                    if (next.isEmpty()) {
                        return run;
                    }
                    run = next.get();
                } else {
                    return run;
                }
            } catch (AdminApi.Unreachable e) {
                giveUpAfter(end, e);
            }
        }
    }

    /** The next attempt at the tick of a run that was taken over. */
    private Optional<JsonNode> nextAttempt(AdminApi client, JsonNode run)
            throws CommandFailure, AdminApi.Unreachable, InterruptedException {
        return client.tryGet(path() + "?limit=200").path("runs").valueStream()
                .filter(other -> other.path("scheduledAt").equals(run.path("scheduledAt"))
                        && other.path("attempt").asInt() == run.path("attempt").asInt() + 1)
                .findFirst();
    }

    private String path() {
        return "/v1/admin/jobs/" + AdminApi.part(job) + "/runs";
    }

    private static void giveUpAfter(long end, AdminApi.Unreachable e) throws CommandFailure, InterruptedException {
        if (System.nanoTime() + POLL.toNanos() > end) {
            throw new CommandFailure(CommandFailure.FAILED, String.valueOf(e.getMessage()), e);
        }
        TimeUnit.NANOSECONDS.sleep(POLL.toNanos());
    }

    private void show(JsonNode run, String line) {
        if (api.json()) {
            ApiOptions.print(terminal, run);
        } else {
            terminal.out().println(line);
        }
    }

    private static String counts(JsonNode run) {
        return Table.cell(run.path("upserts")) + " put, " + Table.cell(run.path("deletes")) + " deleted, "
                + Table.cell(run.path("unchanged")) + " unchanged, in " + Table.cell(run.path("durationMs")) + " ms";
    }
}
