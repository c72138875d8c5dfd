package io.bellwether.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import io.bellwether.cluster.ClusterException;
import io.bellwether.cluster.StartCache;

/** {@code bellwether start-cache}: part of a build and of an image, rarely of a day's work. */
@Command(name = "start-cache", mixinStandardHelpOptions = true, description = {
        "Makes the file that lets a server process start in about half the time, with this Java and these jars.",
        "The build does it by itself; again after another Java was installed."})
final class StartCacheCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(names = "--optional", description = "a failure is told and is none: processes start without it, only slower")
    private boolean optional;

    @Parameters(arity = "0..1", paramLabel = "FILE", description = "where to put it (lib/bellwether.aot, where processes look)")
    private @Nullable Path file;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        Path home = Path.of(System.getProperty("bellwether.home", "."));
        Path target = file != null ? file : home.resolve("lib/bellwether.aot");
        try {
            StartCache.write(home, target, this::say);
            return 0;
        } catch (ClusterException | IOException e) {
            if (optional) {
                say("no start cache: " + e.getMessage());
                return 0;
            }
            throw new CommandFailure(CommandFailure.FAILED, "no start cache: " + e.getMessage(), e);
        }
    }

    private void say(String line) {
        spec.commandLine().getOut().println(line);
        spec.commandLine().getOut().flush();
    }
}
