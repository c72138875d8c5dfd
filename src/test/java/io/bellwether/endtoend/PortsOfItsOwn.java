package io.bellwether.endtoend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Where a test's cluster listens: anywhere, so that two of them on one machine rarely want the same port. A part that a test
 * has stopped holds no port, and another cluster that starts from the usual ones would take it.
 */
final class PortsOfItsOwn {
    /** Above what people use, below what systems give to outgoing connections. */
    private static final int FIRST = 20_000;
    private static final int END = 32_000;
    private static final int PARTS = 16;

    private PortsOfItsOwn() {}

    /** Says so in the folder of a cluster that was never started; a port that is taken all the same is passed over. */
    static void choose(Path cluster) throws IOException {
        int port = ThreadLocalRandom.current().nextInt(FIRST, END - PARTS);
        StringBuilder lines = new StringBuilder();
        for (String part : List.of("nginx", "postgres", "redis", "process-1", "process-2", "process-3", "process-4")) {
            lines.append(part).append('=').append(port++).append('\n');
        }
        Files.createDirectories(cluster.resolve("run"));
        Files.writeString(cluster.resolve("run/ports.properties"), lines);
    }
}
