package io.bellwether.cli;

import com.fasterxml.jackson.databind.JsonNode;
import picocli.CommandLine.Command;

/** {@code bellwether jobs}. */
@Command(name = "jobs", description = "Lists the jobs: when they run, who leads, what came of the last run.")
final class JobsCommand extends ApiCommand {
    JobsCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    int run(AdminApi client) throws Exception {
        JsonNode answer = client.get("/v1/admin/jobs");
        if (api.json()) {
            ApiOptions.print(terminal, answer);
            return 0;
        }
        Table table = new Table("JOB", "SCHEDULE", "ZONE", "STATE", "LEADER", "NEXT TICK", "LAST RUN", "LAST SUCCESS");
        for (JsonNode job : answer.path("jobs")) {
            table.row(Table.cell(job.path("job")), Table.cell(job.path("schedule")), Table.cell(job.path("zone")),
                    state(job), Table.cell(job.path("leader")), Table.cell(job.path("nextTick")),
                    run(job.path("lastRun")), run(job.path("lastSuccess")));
        }
        table.print(terminal.out());
        return 0;
    }

    /** In one word, or a few when it is out of order. */
    static String state(JsonNode job) {
        if (job.path("problem").isTextual()) {
            return "broken: " + Table.cell(job.path("problem"));
        }
        if (job.path("pausedUntil").isTextual()) {
            String until = job.path("pausedUntil").asText();
            return until.startsWith("9999-") ? "paused" : "paused until " + Table.plain(until);
        }
        return job.path("running").isObject()
                ? "running"
                : job.path("enabled").asBoolean() ? "idle" : "disabled";
    }

    private static String run(JsonNode run) {
        return run.isObject() ? Table.cell(run.path("state")) + " " + Table.cell(run.path("scheduledAt")) : "-";
    }
}
