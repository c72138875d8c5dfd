package io.bellwether.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * The nginx of a local cluster: its configuration, its process, and where it looks for the server processes. Started by
 * one thread, then looked after by another one; not for more than one at a time.
 */
final class Front {
    private static final int PORT_FROM = 8080;

    private final ClusterOptions options;
    private final ClusterDir dir;
    private final Path program;
    private final Function<Child.CommandSource, Child> children;

    private volatile @Nullable NginxServer server;
    private volatile @Nullable Child child;
    /** The ports that its configuration names. */
    private List<Integer> known = List.of();

    /**
     * A front that is not started.
     *
     * @param program nginx
     * @param children makes the child process of a command
     */
    Front(ClusterOptions options, ClusterDir dir, Path program, Function<Child.CommandSource, Child> children) {
        this.options = options;
        this.dir = dir;
        this.program = program;
        this.children = children;
    }

    /** Starts it on its port, or on a free one, before processes that listen on {@code upstreams}; waits until it answers. */
    void start(Ports ports, List<Integer> upstreams) throws IOException, ClusterException, InterruptedException {
        if (options.port() == 0) {
            FreePort.start("nginx", ports, PORT_FROM, port -> startOn(port, upstreams));
        } else {
            startOn(options.port(), upstreams).awaitReady();
        }
    }

    private Part startOn(int port, List<Integer> upstreams) throws IOException, InterruptedException, ClusterException {
        NginxServer configured = new NginxServer(dir, program, port, options.tls());
        configured.prepare(upstreams);
        known = upstreams;
        server = configured;
        Child started = children.apply(configured::command);
        child = started;
        started.start();
        return part();
    }

    /** Has it follow when processes listen elsewhere; while it is dead, the new file is read when it comes back. */
    void follow(List<Integer> upstreams) throws IOException, InterruptedException, ClusterException {
        if (!upstreams.equals(known)) {
            server().prepare(upstreams);
            known = upstreams;
            child().signal("HUP");
        }
    }

    /** Keeps its access log bounded. */
    void rotateAccessLog() throws IOException, InterruptedException {
        server().rotateAccessLog(child());
    }

    int port() {
        return server().port();
    }

    long pid() {
        return child().pid();
    }

    /** Its process, to stop and start. */
    Part part() {
        NginxServer configured = server();
        Child process = child();
        return new Part(process, () -> configured.awaitReady(process));
    }

    /** Stops it, if it was started. */
    void stop() throws InterruptedException {
        Child process = child;
        if (process != null) {
            process.stop();
        }
    }

    private NginxServer server() {
        return LocalCluster.started(server);
    }

    private Child child() {
        return LocalCluster.started(child);
    }
}
