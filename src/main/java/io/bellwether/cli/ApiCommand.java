package io.bellwether.cli;

import java.util.concurrent.Callable;

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

    /**
     * Does what the command is for.
     *
     * @return the exit code
     */
    abstract int run(AdminApi client) throws Exception;
}
