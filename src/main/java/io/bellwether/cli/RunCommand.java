package io.bellwether.cli;

import java.time.Duration;

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
    /** How long a command that does not wait tries to hand the run over. */
    private static final Duration HAND_OVER_LIMIT = Duration.ofSeconds(15);

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
        FollowedRun asked = new FollowedRun(client, job, wait ? timeout : HAND_OVER_LIMIT);
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        if (reason != null) {
            body.put("reason", reason);
        }
        JsonNode run = asked.ask("/v1/admin/jobs/" + AdminApi.part(job) + "/runs", body);
        if (!wait) {
            show(run, "queued as run " + Table.cell(run.path("id")) + " of " + job);
            return 0;
        }
        finish(asked, asked.follow(run));
        return 0;
    }
}
