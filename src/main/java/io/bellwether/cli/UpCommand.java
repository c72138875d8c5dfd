package io.bellwether.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import io.bellwether.cluster.ClusterException;
import io.bellwether.cluster.ClusterOptions;
import io.bellwether.cluster.ClusterReport;
import io.bellwether.cluster.LocalCluster;
import io.bellwether.cluster.UserFolders;

/** {@code bellwether up}: a whole cluster on this machine, until ctrl-C or SIGTERM. */
@Command(name = "up", mixinStandardHelpOptions = true, description = {
        "Starts a whole cluster on this machine, without Docker: PostgreSQL, Redis, nginx and N server processes.",
        "Keeps its data in DIR, writes DIR/cluster.json, and prints a line per tick. ctrl-C stops all of it."})
final class UpCommand implements Callable<Integer> {
    private static final Duration STOP_LIMIT = Duration.ofSeconds(50);

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(names = "--processes", paramLabel = "N", defaultValue = "4", description = "server processes, 1 to 64 (${DEFAULT-VALUE})")
    private int processes;

    @Option(names = "--port", paramLabel = "P", defaultValue = "8080", description = "nginx's port on 127.0.0.1; 0 takes a free one (${DEFAULT-VALUE})")
    private int port;

    @Option(names = "--dir", paramLabel = "DIR", description = "where it keeps everything ($XDG_STATE_HOME/bellwether, usually ~/.local/state/bellwether)")
    private @Nullable Path dir;

    @Option(names = "--demo", negatable = true, defaultValue = "true", fallbackValue = "true", description = "a set that is refreshed every 10 s from an upstream that changes (the default)")
    private boolean demo;

    @Option(names = "--nginx", paramLabel = "PATH", description = "the nginx to run; else one that is installed, else on Debian and Ubuntu the unpacked package")
    private @Nullable Path nginx;

    @ArgGroup(exclusive = false)
    private @Nullable Tls tls;

    /** All of them or none. */
    private static final class Tls {
        @Option(names = "--tls-port", required = true, paramLabel = "P", description = "nginx takes TLS with HTTP/2 on this port of 127.0.0.1 as well")
        private int port;

        @Option(names = "--tls-certificate", required = true, paramLabel = "FILE", description = "its certificate, and those that it was issued by (PEM)")
        @SuppressWarnings("NullAway.Init")
        private Path certificate;

        @Option(names = "--tls-key", required = true, paramLabel = "FILE", description = "its key, without a passphrase (PEM)")
        @SuppressWarnings("NullAway.Init")
        private Path key;
    }

    @Override
    public Integer call() throws CommandFailure {
        ClusterOptions options = options();
        CountDownLatch stopped = new CountDownLatch(1);
        stopOnSignal(Thread.currentThread(), stopped);
        try {
            run(options);
            return 0;
        } catch (ClusterException e) {
            throw new CommandFailure(CommandFailure.USAGE, String.valueOf(e.getMessage()), e);
        } catch (InterruptedException e) {
            return 0;
        } finally {
            stopped.countDown();
        }
    }

    /** The thread that runs the cluster is also the one that stops it; the JVM waits for that. */
    private static void stopOnSignal(Thread runner, CountDownLatch stopped) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            if (stopped.getCount() == 0) {
                return;
            }
            runner.interrupt();
            try {
                if (stopped.await(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                    // A stop that was asked for is no failure; without this the code would be 128 and the signal.
                    Runtime.getRuntime().halt(0);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "stop-on-signal"));
    }

    private ClusterOptions options() {
        try {
            Path home = Path.of(System.getProperty("bellwether.home", "."));
            Path folder = dir != null ? dir : UserFolders.state(System.getenv());
            return ClusterOptions.of(home, folder).withProcesses(processes).withPort(port).withDemo(demo)
                    .withNginx(nginx)
                    .withTls(tls == null ? null : new ClusterOptions.Tls(tls.port, tls.certificate, tls.key));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private void run(ClusterOptions options) throws ClusterException, InterruptedException {
        Consumer<String> say = this::say;
        long begun = System.nanoTime();
        say.accept("starting in " + options.dir());
        LocalCluster cluster = LocalCluster.start(options, say);
        ClusterReport report = null;
        try {
            report = ClusterReport.start(cluster, options.demo(), Duration.ofNanos(System.nanoTime() - begun),
                    InstantSource.system(), ZoneId.systemDefault(), say);
            new CountDownLatch(1).await();
        } finally {
            say.accept("stopping");
            if (report != null) {
                report.stopFollowing();
            }
            cluster.close();
            // last, for the runs that are finishing still read the demo's feed
            if (report != null) {
                report.close();
            }
            say.accept("stopped");
        }
    }

    private synchronized void say(String line) {
        spec.commandLine().getOut().println(line);
        spec.commandLine().getOut().flush();
    }
}
