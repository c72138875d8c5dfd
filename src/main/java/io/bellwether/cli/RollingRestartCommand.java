package io.bellwether.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import io.bellwether.cluster.ClusterException;
import io.bellwether.cluster.RollingRestart;
import io.bellwether.cluster.UserFolders;

/** {@code bellwether rolling-restart}: what a running {@code up} does for a new version, a changed setting, a test. */
@Command(name = "rolling-restart", mixinStandardHelpOptions = true, description = {
        "Restarts the server processes of a running `bellwether up` one after the other; no request fails by it.",
        "Stops at the first process that is not ready again in time."})
final class RollingRestartCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(names = "--dir", paramLabel = "DIR", description = "the folder of that `up` ($XDG_STATE_HOME/bellwether, usually ~/.local/state/bellwether)")
    private @Nullable Path dir;

    @Option(names = "--limit", paramLabel = "TIME", defaultValue = "90s", converter = DurationText.class, description = "for one process, until all are ready again (${DEFAULT-VALUE})")
    @SuppressWarnings("NullAway.Init")
    private Duration limit;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        long begun = System.nanoTime();
        try {
            int restarted = new RollingRestart(dir != null ? dir : UserFolders.state(System.getenv()), limit, this::say)
                    .run();
            say(String.format(Locale.ROOT, "restarted %d processes in %.1f s", restarted,
                    (System.nanoTime() - begun) / 1e9));
            return 0;
        } catch (ClusterException e) {
            throw new CommandFailure(CommandFailure.FAILED, String.valueOf(e.getMessage()), e);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, String.valueOf(e.getMessage()), e);
        }
    }

    private void say(String line) {
        spec.commandLine().getOut().println(line);
        spec.commandLine().getOut().flush();
    }
}
