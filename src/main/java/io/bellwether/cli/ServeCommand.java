package io.bellwether.cli;

import java.net.BindException;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import io.bellwether.settings.Settings;
import io.bellwether.settings.SettingsException;
import io.bellwether.settings.SettingsReader;

/** {@code bellwether serve}: one server process, until SIGTERM or ctrl-C. */
@Command(name = "serve", description = {"One server process, configured by BELLWETHER_… variables of the environment.",
        "SIGTERM and ctrl-C stop it: what is under way is finished first."})
final class ServeCommand implements Callable<Integer> {
    private final Terminal terminal;
    private final Starter starter;

    @Option(names = "--exit-with-parent", description = "stop when standard input ends, which it does when whoever started this dies")
    private boolean exitWithParent;

    /** Makes a server process that does not run yet. */
    @FunctionalInterface
    interface Starter {
        /**
         * Makes it.
         *
         * @throws Exception if the settings are not to its liking
         */
        Server create(Settings settings) throws Exception;
    }

    /** A server process. */
    interface Server {
        /**
         * Starts it and returns when it runs.
         *
         * @throws Exception if it cannot start, or is told to stop meanwhile; it has then stopped what it had started
         */
        void start() throws Exception;

        /** Stops it, also while it starts, and waits for the end. */
        void stop();
    }

    ServeCommand(Terminal terminal, Starter starter) {
        this.terminal = terminal;
        this.starter = starter;
    }

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        Settings settings;
        try {
            settings = SettingsReader.read(terminal.environment());
        } catch (SettingsException e) {
            throw new CommandFailure(CommandFailure.USAGE, String.join("\n", e.complaints()), e);
        }
        Server server = attempt(() -> starter.create(settings));
        // Before the start, which a signal may end as well.
        Thread hook = new Thread(() -> {
            server.stop();
            // A stop that was asked for is no failure; without this the code would be 128 and the signal.
            Runtime.getRuntime().halt(0);
        }, "stop");
        Runtime.getRuntime().addShutdownHook(hook);
        if (exitWithParent) {
            ParentWatch.start(terminal.in(), () -> System.exit(0));
        }
        try {
            attempt(() -> {
                server.start();
                return server;
            });
        } catch (CommandFailure | InterruptedException e) {
            if (isStopping(hook)) {
                forEver();
            }
            throw e;
        }
        forEver();
        return 0;
    }

    /** The hook ends the process. */
    private static void forEver() throws InterruptedException {
        new CountDownLatch(1).await();
    }

    /** Whether the process was told to end; if it was not, the hook is forgotten. */
    private static boolean isStopping(Thread hook) {
        try {
            return !Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            return true;
        }
    }

    private static Server attempt(Callable<Server> step) throws CommandFailure, InterruptedException {
        try {
            return step.call();
        } catch (InterruptedException | CommandFailure e) {
            throw e;
        } catch (SettingsException e) {
            throw new CommandFailure(CommandFailure.USAGE, String.join("\n", e.complaints()), e);
        } catch (BindException e) {
            throw new CommandFailure(CommandFailure.USAGE, Table.line(String.valueOf(e.getMessage())), e);
        } catch (Exception e) {
            throw new CommandFailure(CommandFailure.FAILED,
                    "cannot start: "
                            + (e.getMessage() == null ? e.getClass().getSimpleName() : Table.line(e.getMessage())),
                    e);
        }
    }
}
