package io.bellwether.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Properties;
import java.util.Set;

/**
 * Which loopback port each part listens on: the one it had before when that is free, else the first free one from a start
 * that depends on the part. All starts are below the range that systems hand out for outgoing connections.
 *
 * <p>Somebody else may take the port between its choice and its use. Whoever then fails to bind asks again: a port that was
 * given once is not given a second time.
 */
final class Ports {
    private static final int TRIED = 500;

    private final Path file;
    private final Properties kept = new Properties();
    private final Set<Integer> taken = new HashSet<>();

    Ports(Path file) throws IOException {
        this.file = file;
        if (Files.exists(file)) {
            try (InputStream in = Files.newInputStream(file)) {
                kept.load(in);
            }
        }
    }

    /**
     * Keeps the ports that were asked for from being given to any part.
     *
     * @throws ClusterException when nobody could listen on the front's
     */
    synchronized void takeFixed(ClusterOptions options) throws ClusterException {
        if (options.port() != 0) {
            try {
                requireFree(options.port());
            } catch (IOException e) {
                throw new ClusterException("cannot listen on port " + options.port() + " (" + UserFolders.reason(e)
                        + "): choose another with --port", e);
            }
            taken.add(options.port());
        }
        ClusterOptions.Tls tls = options.tls();
        if (tls != null) {
            taken.add(tls.port());
        }
    }

    /** @throws ClusterException when hundreds in a row are in use */
    synchronized int choose(String part, int from) throws IOException, ClusterException {
        int before = Integer.parseInt(kept.getProperty(part, "0"));
        if (before > 0 && !taken.contains(before) && isFree(before)) {
            return keep(part, before);
        }
        for (int port = from; port < from + TRIED; port++) {
            if (!taken.contains(port) && isFree(port)) {
                return keep(part, port);
            }
        }
        throw new ClusterException("no free port for " + part + " between " + from + " and " + (from + TRIED - 1));
    }

    private int keep(String part, int port) throws IOException {
        taken.add(port);
        kept.setProperty(part, Integer.toString(port));
        try (OutputStream out = Files.newOutputStream(file)) {
            kept.store(out, "ports of the last start; used again when they are free");
        }
        return port;
    }

    static boolean isFree(int port) {
        try {
            requireFree(port);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** @throws IOException with the system's reason when nobody could listen there now */
    static void requireFree(int port) throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        }
    }
}
