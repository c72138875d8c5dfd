package io.bellwether.cli;

import java.time.Instant;
import java.time.format.DateTimeParseException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code bellwether pause JOB}. */
@Command(name = "pause", description = "Keeps a job's schedule from firing; a run under way goes on.")
final class PauseCommand extends ApiCommand {
    @Parameters(index = "0", paramLabel = "JOB", description = "the job's name")
    @SuppressWarnings("NullAway.Init")
    private String job;

    @Option(names = "--until", paramLabel = "INSTANT", description = "when it goes on by itself, such as 2026-01-31T12:00:00Z", converter = InstantText.class)
    private @Nullable Instant until;

    @Option(names = "--reason", paramLabel = "TEXT", description = "why, for those who find it paused")
    private @Nullable String reason;

    /** Reads an instant. */
    static final class InstantText implements ITypeConverter<Instant> {
        @Override
        public Instant convert(String text) {
            try {
                return Instant.parse(text);
            } catch (DateTimeParseException e) {
                throw new TypeConversionException("'" + text + "' is not an instant such as 2026-01-31T12:00:00Z");
            }
        }
    }

    PauseCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    int run(AdminApi client) throws Exception {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        if (until != null) {
            body.put("until", until.toString());
        }
        if (reason != null) {
            body.put("reason", reason);
        }
        JsonNode answer = client.post("/v1/admin/jobs/" + AdminApi.part(job) + "/pause", body);
        if (api.json()) {
            ApiOptions.print(terminal, answer);
        } else {
            terminal.out().println(job + ": " + JobsCommand.state(answer));
        }
        return 0;
    }
}
