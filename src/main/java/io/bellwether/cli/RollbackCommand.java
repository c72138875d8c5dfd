package io.bellwether.cli;

import java.time.Duration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bellwether rollback SET REVISION}. */
@Command(name = "rollback", description = {
        "Publishes the content of a kept revision as a new one, and pauses the set's job: its source still has what was"
                + " rolled back from.",
        "When the source is right again: bellwether resume SET."})
final class RollbackCommand extends ApiCommand {
    @Parameters(index = "0", paramLabel = "SET", description = "the set's name")
    @SuppressWarnings("NullAway.Init")
    private String set;

    @Parameters(index = "1", paramLabel = "REVISION", description = "the revision whose content is wanted again")
    private long revision;

    @Option(names = "--timeout", paramLabel = "DURATION", defaultValue = "PT15M", description = "how long to wait at most, such as PT10M or 10m (${DEFAULT-VALUE})", converter = DurationText.class)
    @SuppressWarnings("NullAway.Init")
    private Duration timeout;

    @Option(names = "--reason", paramLabel = "TEXT", description = "why, for those who read the runs")
    private @Nullable String reason;

    RollbackCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    int run(AdminApi client) throws Exception {
        FollowedRun asked = new FollowedRun(client, set, timeout);
        ObjectNode body = JsonNodeFactory.instance.objectNode().put("to", revision);
        if (reason != null) {
            body.put("reason", reason);
        }
        JsonNode answer = asked.ask("/v1/admin/sets/" + AdminApi.part(set) + "/rollback", body);
        // At the end already, or still on its way.
        JsonNode run = asked.follow(answer.has("run") ? answer.path("run") : answer);
        finish(asked, run);
        if (!api.json() && run.path("state").asText().equals("published")) {
            terminal.out().println(set + " is paused until 'bellwether resume " + set + "'");
        }
        return 0;
    }
}
