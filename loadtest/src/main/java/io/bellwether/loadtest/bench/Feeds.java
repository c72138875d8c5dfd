package io.bellwether.loadtest.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Makes feeds with {@code bellwether feed generate}. Thread-safe. */
public final class Feeds {
    private final Path distribution;
    private final Duration limit;
    private final Path folder;
    private final Cleanup cleanup;

    /**
     * Feeds in a folder, made if need be.
     *
     * @param distribution the folder that has {@code bin/bellwether}
     * @param limit how long making one may take
     */
    public Feeds(Path distribution, Duration limit, Path folder, Cleanup cleanup) throws IOException {
        this.distribution = distribution;
        this.limit = limit;
        this.folder = Files.createDirectories(folder);
        this.cleanup = cleanup;
    }

    /**
     * Makes a feed.
     *
     * @param seed another one gives other policies
     * @param change the share that changed since the feed was drawn; what changed at a smaller share has changed alike
     */
    public Path generate(long policies, long seed, double change) throws IOException, InterruptedException {
        Path file = folder.resolve("feed-" + policies + "-" + seed + "-" + change + ".ndjson");
        List<String> command = new ArrayList<>(
                List.of(distribution.resolve("bin/bellwether").toString(), "feed",
                        "generate", "--policies", Long.toString(policies), "--seed", Long.toString(seed), "--out",
                        file.toString()));
        if (change > 0) {
            command.addAll(List.of("--change", Double.toString(change)));
        }
        Programs.run(cleanup, limit, Map.of(), command);
        return file;
    }
}
