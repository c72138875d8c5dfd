package io.bellwether.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;

/**
 * The folder that a local cluster lives in. Everything it keeps or writes is below it, except the unpacked binaries, which
 * all clusters of a user share ({@link UserFolders#cache}).
 *
 * @param root the folder itself, absolute
 */
record ClusterDir(Path root) {
    private static final long LEAST_FREE_BYTES = 200L << 20;

    /** Names what a script needs: ports, pids, passwords. Mode 0600. */
    Path clusterJson() {
        return root.resolve("cluster.json");
    }

    Path lock() {
        return root.resolve("up.lock");
    }

    Path rollingRestart() {
        return root.resolve("run/rolling-restart.lock");
    }

    Path pids() {
        return root.resolve("run/pids");
    }

    Path ports() {
        return root.resolve("run/ports.properties");
    }

    Path secrets() {
        return root.resolve("secrets");
    }

    Path postgresData() {
        return root.resolve("postgres");
    }

    Path redis() {
        return root.resolve("redis");
    }

    Path nginx() {
        return root.resolve("nginx");
    }

    /** {@code BELLWETHER_DATA_DIR} of every process: they share one segment cache, as processes of a host do. */
    Path processData() {
        return root.resolve("data");
    }

    Path log(String name) {
        return root.resolve("logs").resolve(name + ".log");
    }

    /**
     * Makes the folder and its parts, private to the user, and looks whether it can be written and has room.
     *
     * @throws ClusterException when it cannot
     */
    void create() throws ClusterException {
        try {
            Files.createDirectories(root);
            Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwx------"));
            for (String part : new String[]{"run", "secrets", "redis", "nginx/temp", "nginx/cache", "data", "logs"}) {
                Files.createDirectories(root.resolve(part));
            }
            Files.setPosixFilePermissions(secrets(), PosixFilePermissions.fromString("rwx------"));
            Path probe = Files.createTempFile(root, "probe", null);
            Files.write(probe, new byte[8192]);
            Files.delete(probe);
            long free = Files.getFileStore(root).getUsableSpace();
            if (free < LEAST_FREE_BYTES) {
                throw new ClusterException(String.format(Locale.ROOT,
                        "only %d MB are free where %s is; a cluster needs %d MB and room for its data: free some, or choose another folder with --dir",
                        free >> 20, root, LEAST_FREE_BYTES >> 20));
            }
        } catch (IOException | UnsupportedOperationException e) {
            throw new ClusterException("cannot write in " + root + " (" + UserFolders.reason(e)
                    + "): choose another folder with --dir", e);
        }
    }

    /** A file of this package's resources or of the distribution's {@code nginx} folder, as it is in the jar. */
    static byte[] resource(String name) throws IOException {
        try (InputStream in = ClusterDir.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException(name + " is missing in the jar");
            }
            return in.readAllBytes();
        }
    }
}
