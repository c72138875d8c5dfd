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

    /** Starts a server process. */
    @FunctionalInterface
    interface Starter {
        /**
         * Starts it.
         *
         * @return what stops it: once, and waiting for the end
         * @throws Exception if it cannot start; it has then stopped what it had started
         */
        Runnable start(Settings settings) throws Exception;
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
        Runnable stop = start(settings);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            stop.run();
            // A stop that was asked for is no failure; without this the code would be 128 and the signal.
            Runtime.getRuntime().halt(0);
        }, "stop"));
        if (exitWithParent) {
            ParentWatch.start(terminal.in(), () -> System.exit(0));
        }
        // For ever: the hook ends the process.
        new CountDownLatch(1).await();
        return 0;
    }

    private Runnable start(Settings settings) throws CommandFailure, InterruptedException {
        try {
            return starter.start(settings);
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
