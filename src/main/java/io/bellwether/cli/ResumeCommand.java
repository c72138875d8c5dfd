package io.bellwether.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code bellwether resume JOB}. */
@Command(name = "resume", description = "Ends a pause; the next tick fires.")
final class ResumeCommand extends ApiCommand {
    @Parameters(index = "0", paramLabel = "JOB", description = "the job's name")
    @SuppressWarnings("NullAway.Init")
    private String job;

    ResumeCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    int run(AdminApi client) throws Exception {
        JsonNode answer = client.post("/v1/admin/jobs/" + AdminApi.part(job) + "/resume",
                JsonNodeFactory.instance.objectNode());
        if (api.json()) {
            ApiOptions.print(terminal, answer);
        } else {
            terminal.out().println(job + ": " + JobsCommand.state(answer) + ", next tick "
                    + Table.cell(answer.path("nextTick")));
        }
        return 0;
    }
}
