package io.bellwether.cluster;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * What a local cluster is made of.
 *
 * @param processes how many {@code serve} processes, 1 to 64
 * @param port nginx's port on 127.0.0.1; 0 takes the one of the last start, or a free one from 8080 on
 * @param dir the folder it lives in
 * @param demo whether there is an upstream that changes, and a set that follows it
 * @param nginx a program to use instead of looking for one
 * @param tls where nginx listens for TLS beside its port, or null
 * @param serve the command that starts one process; it is configured by its environment, and its standard input ends when
 *        the cluster's owner is gone
 * @param environment what the processes inherit; settings that say where they run are replaced by the cluster's own
 * @param overrides more variables for single processes, by number from 1, which win over all others (a skewed clock, a
 *        proxy before Redis)
 */
public record ClusterOptions(int processes, int port, Path dir, boolean demo, @Nullable Path nginx, @Nullable Tls tls,
        List<String> serve, Map<String, String> environment, Map<Integer, Map<String, String>> overrides) {
    /**
     * Where nginx takes TLS, with HTTP/2.
     *
     * @param port on 127.0.0.1, not 0
     * @param certificate a PEM file, with those that it was issued by after it
     * @param key a PEM file, without a passphrase
     */
    public record Tls(int port, Path certificate, Path key) {
        /** Makes the paths absolute, since nginx looks from its own folder. */
        public Tls {
            if (port < 1 || port > 65_535) {
                throw new IllegalArgumentException("the port of TLS must be 1 to 65535, not " + port);
            }
            certificate = absolute(certificate);
            key = absolute(key);
        }
    }

    private static Path absolute(Path file) {
        Path absolute = file.toAbsolutePath().normalize();
        if (absolute.toString().indexOf('$') >= 0) {
            throw new IllegalArgumentException(absolute + " has a $ in its path, which nginx takes for a variable");
        }
        return absolute;
    }

    /** The most processes a local cluster can have. */
    public static final int MAX_PROCESSES = 64;

    /** Takes copies. */
    public ClusterOptions {
        if (processes < 1 || processes > MAX_PROCESSES) {
            throw new IllegalArgumentException("processes must be 1 to " + MAX_PROCESSES + ", not " + processes);
        }
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("port must be 0 to 65535, not " + port);
        }
        dir = dir.toAbsolutePath().normalize();
        serve = List.copyOf(serve);
        environment = Map.copyOf(environment);
        overrides = Map.copyOf(overrides);
    }

    /**
     * The usual cluster of a distribution: four processes, a free port, no demo.
     *
     * @param home the folder that has {@code bin} and {@code lib}
     * @param dir the folder it lives in
     */
    public static ClusterOptions of(Path home, Path dir) {
        return new ClusterOptions(4, 0, dir, false, null, null,
                List.of(home.toAbsolutePath().resolve("bin/bellwether").toString(), "serve", "--exit-with-parent"),
                System.getenv(),
                Map.of());
    }

    /** With another number of processes. */
    public ClusterOptions withProcesses(int number) {
        return new ClusterOptions(number, port, dir, demo, nginx, tls, serve, environment, overrides);
    }

    /** With nginx on this port. */
    public ClusterOptions withPort(int number) {
        return new ClusterOptions(processes, number, dir, demo, nginx, tls, serve, environment, overrides);
    }

    /** With or without the demo. */
    public ClusterOptions withDemo(boolean wanted) {
        return new ClusterOptions(processes, port, dir, wanted, nginx, tls, serve, environment, overrides);
    }

    /** With this nginx; null looks for one. */
    public ClusterOptions withNginx(@Nullable Path program) {
        return new ClusterOptions(processes, port, dir, demo, program, tls, serve, environment, overrides);
    }

    /** With TLS as well. */
    public ClusterOptions withTls(@Nullable Tls wanted) {
        return new ClusterOptions(processes, port, dir, demo, nginx, wanted, serve, environment, overrides);
    }

    /** With another command for the processes. */
    public ClusterOptions withServe(List<String> command) {
        return new ClusterOptions(processes, port, dir, demo, nginx, tls, command, environment, overrides);
    }

    /** With one variable more for all processes. */
    public ClusterOptions with(String variable, String value) {
        Map<String, String> more = new TreeMap<>(environment);
        more.put(variable, value);
        return new ClusterOptions(processes, port, dir, demo, nginx, tls, serve, more, overrides);
    }

    /** With one variable more for process {@code number}, counted from 1. */
    public ClusterOptions with(int number, String variable, String value) {
        Map<Integer, Map<String, String>> all = new TreeMap<>(overrides);
        Map<String, String> more = new TreeMap<>(all.getOrDefault(number, Map.of()));
        more.put(variable, value);
        all.put(number, Map.copyOf(more));
        return new ClusterOptions(processes, port, dir, demo, nginx, tls, serve, environment, all);
    }
}
