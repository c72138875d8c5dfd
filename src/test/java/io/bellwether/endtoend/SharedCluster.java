package io.bellwether.endtoend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.bellwether.cluster.ClusterOptions;
import io.bellwether.cluster.LocalCluster;

/** Four processes from the distribution that was just built, started once for all end-to-end tests of this JVM. */
final class SharedCluster {
    /** Short, so that a take-over is seen soon. */
    static final int LEASE_SECONDS = 4;

    private static @Nullable LocalCluster cluster;

    private SharedCluster() {}

    /** The cluster, all of its processes ready. */
    static synchronized LocalCluster get() throws Exception {
        LocalCluster running = cluster;
        if (running == null) {
            Path dir = Files.createTempDirectory("bellwether-it");
            PortsOfItsOwn.choose(dir);
            running = LocalCluster.start(ClusterOptions.of(Path.of("target/bellwether"), dir)
                    .with("BELLWETHER_LEASE", "PT" + LEASE_SECONDS + "S").with("BELLWETHER_JVM_OPTS", "-Xmx192m"),
                    _ -> {});
            cluster = running;
            LocalCluster started = running;
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                started.close();
                delete(dir);
            }));
        }
        running.awaitReady();
        return running;
    }

    /** Removes a folder and all in it, as far as possible. */
    static void delete(Path dir) {
        try (Stream<Path> files = Files.walk(dir)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            // A temporary folder that stays is not worth failing for.
            return;
        }
    }
}
