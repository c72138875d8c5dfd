package io.bellwether.cli;

import java.util.concurrent.Callable;

import com.fasterxml.jackson.databind.JsonNode;
import picocli.CommandLine.Mixin;

/** A command that asks the admin API. */
abstract class ApiCommand implements Callable<Integer> {
    /** Where it reads and writes. */
    protected final Terminal terminal;

    /** Where the API is and how its answer is shown. */
    @Mixin
    protected final ApiOptions api = new ApiOptions();

    ApiCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public final Integer call() throws Exception {
        try (AdminApi client = api.open(terminal.environment())) {
            return run(client);
        }
    }

    /** Shows an answer, as it is or in a line. */
    protected final void show(JsonNode answer, String line) {
        if (api.json()) {
            ApiOptions.print(terminal, answer);
        } else {
            terminal.out().println(line);
        }
    }

    /**
     * Shows what came of a run.
     *
     * @throws CommandFailure if nothing good did
     */
    protected final void finish(FollowedRun followed, JsonNode run) throws CommandFailure {
        if (api.json()) {
            ApiOptions.print(terminal, run);
        }
        String line = followed.outcome(run);
        if (!api.json()) {
            terminal.out().println(line);
        }
    }

    /**
     * Does what the command is for.
     *
     * @return the exit code
     */
    abstract int run(AdminApi client) throws Exception;
}
