package io.bellwether.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bellwether runs [JOB]}. */
@Command(name = "runs", description = "Lists what became of each tick, the newest first.")
final class RunsCommand extends ApiCommand {
    private static final int MAX_LIMIT = 1000;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(index = "0", arity = "0..1", paramLabel = "JOB", description = "a job's name; all jobs without it")
    private @Nullable String job;

    @Option(names = "--limit", paramLabel = "N", defaultValue = "20", description = "how many, 1 to 1000 (${DEFAULT-VALUE})")
    private int limit;

    RunsCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    int run(AdminApi client) throws Exception {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new ParameterException(spec.commandLine(), "--limit must be 1 to " + MAX_LIMIT + ", not " + limit);
        }
        List<JsonNode> runs = new ArrayList<>();
        if (job != null) {
            client.get(path(job)).path("runs").forEach(runs::add);
        } else {
            for (JsonNode one : client.get("/v1/admin/jobs").path("jobs")) {
                client.get(path(one.path("job").asText())).path("runs").forEach(runs::add);
            }
            runs.sort(Comparator.comparingLong((JsonNode run) -> run.path("id").asLong()).reversed());
        }
        List<JsonNode> shown = runs.subList(0, Math.min(limit, runs.size()));
        if (api.json()) {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            json.putArray("runs").addAll(shown);
            ApiOptions.print(terminal, json);
        } else {
            print(shown);
        }
        return 0;
    }

    private String path(String name) {
        return "/v1/admin/jobs/" + AdminApi.part(name) + "/runs?limit=" + limit;
    }

    private void print(List<JsonNode> runs) {
        Table table = new Table("ID", "JOB", "TICK", "KIND", "STATE", "TRY", "PROCESS", "GATE", "MS", "REVISION", "PUT",
                "DELETED", "SAME", "REASON");
        for (JsonNode run : runs) {
            table.row(Table.cell(run.path("id")), Table.cell(run.path("job")), Table.cell(run.path("scheduledAt")),
                    Table.cell(run.path("kind")), state(run), Table.cell(run.path("attempt")),
                    Table.cell(run.path("process")), Table.cell(run.path("gate")), Table.cell(run.path("durationMs")),
                    Table.cell(run.path("revision")), Table.cell(run.path("upserts")),
                    Table.cell(run.path("deletes")), Table.cell(run.path("unchanged")), reason(run));
        }
        table.print(terminal.out());
    }

    private static String reason(JsonNode run) {
        String candidate = run.path("candidate").asText("");
        return (candidate.isEmpty() ? "" : "candidate " + Table.plain(candidate) + ": ")
                + Table.cell(run.path("reason"));
    }

    private static String state(JsonNode run) {
        long ticks = run.path("ticks").asLong(1);
        return Table.cell(run.path("state")) + (ticks > 1 ? " (" + ticks + " ticks)" : "");
    }
}
