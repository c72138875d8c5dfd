package io.bellwether.cli;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Asking for a run and following it to its end, over the attempts that take it over. What cannot be reached is asked again
 * until the time is over; the key makes that harmless. Not thread safe.
 */
final class FollowedRun {
    private static final Duration POLL = Duration.ofMillis(250);
    private static final Set<String> UNDER_WAY = Set.of("queued", "running");

    /** Ends of an attempt after which another may do the tick. */
    private static final Set<String> TAKEN_OVER = Set.of("abandoned", "fenced");

    private final AdminApi client;
    private final String job;
    private final Duration limit;
    private final long end;

    /**
     * A run of that job.
     *
     * @param limit how long everything may take
     */
    FollowedRun(AdminApi client, String job, Duration limit) {
        this.client = client;
        this.job = job;
        this.limit = limit;
        this.end = System.nanoTime() + limit.toNanos();
    }

    /** Asks for it by that path; what comes back is the answer. */
    JsonNode ask(String path, JsonNode body) throws CommandFailure, InterruptedException {
        String key = UUID.randomUUID().toString();
        while (true) {
            try {
                return client.tryPost(path, body, key);
            } catch (AdminApi.Unreachable e) {
                giveUpAtTheEnd(e);
            }
        }
    }

    /** Waits for its end. */
    JsonNode follow(JsonNode queued) throws CommandFailure, InterruptedException {
        JsonNode run = queued;
        while (true) {
            if (System.nanoTime() > end) {
                throw new CommandFailure(CommandFailure.FAILED, "run " + Table.cell(run.path("id")) + " of " + job
                        + " is still " + Table.cell(run.path("state")) + " after " + limit);
            }
            String state = run.path("state").asText();
            try {
                if (UNDER_WAY.contains(state)) {
                    TimeUnit.NANOSECONDS.sleep(POLL.toNanos());
                    run = client.tryGet(runs() + "/" + run.path("id").asLong());
                } else if (TAKEN_OVER.contains(state)) {
                    Optional<JsonNode> next = nextAttempt(run);
                    if (next.isEmpty()) {
                        return run;
                    }
                    run = next.get();
                } else {
                    return run;
                }
            } catch (AdminApi.Unreachable e) {
                giveUpAtTheEnd(e);
            }
        }
    }

    /**
     * What came of it, in a line.
     *
     * @throws CommandFailure if nothing good did; refused is an exit code of its own
     */
    String outcome(JsonNode run) throws CommandFailure {
        String state = run.path("state").asText();
        return switch (state) {
            case "published" -> "published revision " + Table.cell(run.path("revision")) + " of " + job + ": "
                    + Table.cell(run.path("upserts")) + " put, " + Table.cell(run.path("deletes")) + " deleted, "
                    + Table.cell(run.path("unchanged")) + " unchanged, in " + Table.cell(run.path("durationMs"))
                    + " ms";
            case "unchanged" -> "unchanged: " + Table.cell(run.path("unchanged")) + " policies as they were";
            default -> throw new CommandFailure(
                    state.equals("refused") ? CommandFailure.REFUSED : CommandFailure.FAILED,
                    "run " + Table.cell(run.path("id")) + " of " + job + " ended as " + Table.plain(state)
                            + (run.path("reason").isTextual() ? ": " + Table.line(run.path("reason").asText()) : "")
                            + (run.path("candidate").isTextual()
                                    ? "; candidate " + Table.plain(run.path("candidate").asText())
                                    : ""));
        };
    }

    /** The next attempt at the tick of a run that was taken over. */
    private Optional<JsonNode> nextAttempt(JsonNode run)
            throws CommandFailure, AdminApi.Unreachable, InterruptedException {
        return client.tryGet(runs() + "?limit=200").path("runs").valueStream()
                .filter(other -> other.path("scheduledAt").equals(run.path("scheduledAt"))
                        && other.path("attempt").asInt() == run.path("attempt").asInt() + 1)
                .findFirst();
    }

    private String runs() {
        return "/v1/admin/jobs/" + AdminApi.part(job) + "/runs";
    }

    private void giveUpAtTheEnd(AdminApi.Unreachable e) throws CommandFailure, InterruptedException {
        if (System.nanoTime() + POLL.toNanos() > end) {
            throw new CommandFailure(CommandFailure.FAILED, String.valueOf(e.getMessage()), e);
        }
        TimeUnit.NANOSECONDS.sleep(POLL.toNanos());
    }
}
