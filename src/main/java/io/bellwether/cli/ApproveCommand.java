package io.bellwether.cli;

import java.time.Duration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bellwether approve SET HASH}. */
@Command(name = "approve", description = {
        "Lets exactly one feed through that a guard refused, once: reads the feed again and publishes it if it is still"
                + " that one.",
        "Waits for the end; the exit code tells what came of it: 0 published, 3 the feed is another one by now, 1 failed."})
final class ApproveCommand extends ApiCommand {
    @Parameters(index = "0", paramLabel = "SET", description = "the set's name")
    @SuppressWarnings("NullAway.Init")
    private String set;

    @Parameters(index = "1", paramLabel = "HASH", description = "the candidate's hash, as 'runs SET' shows it")
    @SuppressWarnings("NullAway.Init")
    private String hash;

    @Option(names = "--timeout", paramLabel = "DURATION", defaultValue = "PT15M", description = "how long to wait at most, such as PT10M or 10m (${DEFAULT-VALUE})", converter = DurationText.class)
    @SuppressWarnings("NullAway.Init")
    private Duration timeout;

    @Option(names = "--reason", paramLabel = "TEXT", description = "why, for those who read the runs")
    private @Nullable String reason;

    ApproveCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    int run(AdminApi client) throws Exception {
        FollowedRun asked = new FollowedRun(client, set, timeout);
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        if (reason != null) {
            body.put("reason", reason);
        }
        JsonNode run = asked.ask(
                "/v1/admin/sets/" + AdminApi.part(set) + "/candidates/" + AdminApi.part(hash) + "/approve", body);
        finish(asked, asked.follow(run));
        return 0;
    }
}
