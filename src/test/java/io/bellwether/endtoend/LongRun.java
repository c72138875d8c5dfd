package io.bellwether.endtoend;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.bellwether.cluster.ClusterFile;
import io.bellwether.cluster.LocalCluster;
import io.bellwether.cluster.Part;
import io.bellwether.feed.FeedShape;

/**
 * What the long tests have in common: the cluster, an upstream, a set with a schedule of two seconds that is watched all
 * along, and one line of numbers at the end, on standard output and in {@code target/soak}. The processes' logs are kept
 * there too when the test did not come to that line.
 *
 * <p>System properties: {@code bellwether.soak.seconds} (600), {@code bellwether.soak.rounds}, {@code
 * bellwether.soak.seed} (random, told), {@code bellwether.soak.feeds} (a folder of {@code *.ndjson.gz}; synthetic feeds
 * without it).
 */
final class LongRun implements AutoCloseable {
    static final Duration LEASE = Duration.ofSeconds(SharedCluster.LEASE_SECONDS);
    static final Duration PERIOD = Duration.ofSeconds(2);
    private static final String SCHEDULE = "*/2 * * * * *";
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final FeedShape FEED = new FeedShape(600, 7, 0.02, 0);
    private static final Path RESULTS = Path.of("target/soak");

    private final String set;
    private final long seed = Long.getLong("bellwether.soak.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final LocalCluster cluster;
    private final Api api;
    private final TestUpstream upstream;
    private final Watcher watcher;
    private final Instant begun;
    private final int errorsBefore;
    private final Map<String, Integer> faults = new TreeMap<>();
    private boolean told;

    /**
     * Declares the set and waits for its first revision.
     *
     * @param cutsExplained as of a {@link Watcher}
     */
    LongRun(String set, boolean cutsExplained) throws Exception {
        this.set = set;
        this.cluster = SharedCluster.get();
        this.api = new Api(cluster);
        String folder = System.getProperty("bellwether.soak.feeds", "");
        this.upstream = new TestUpstream(folder.isEmpty() ? Feeds.of(FEED) : Feeds.of(Path.of(folder)));
        api.put(set, upstream.url(), SCHEDULE, true);
        this.watcher = new Watcher(api, set, cutsExplained);
        say("seed=" + seed + " logs in " + cluster.dir().resolve("logs"));
        eventually("a first revision", LIMIT, () -> recent().stream().anyMatch(RunRow::isPublished));
        this.errorsBefore = allErrors().size();
        this.begun = Instant.now();
    }

    LocalCluster cluster() {
        return cluster;
    }

    TestUpstream upstream() {
        return upstream;
    }

    Watcher watcher() {
        return watcher;
    }

    /** Seeded; the seed is told. */
    Random random() {
        return random;
    }

    static int rounds(int usual) {
        return Integer.getInteger("bellwether.soak.rounds", usual);
    }

    /** Whether its time is not over. */
    boolean goesOn() {
        return Instant.now().isBefore(begun.plusSeconds(Long.getLong("bellwether.soak.seconds", 600)));
    }

    /** Lets that much time pass. */
    static void pass(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Lets a random time pass. */
    void passUpTo(Duration atMost) {
        pass(Duration.ofNanos((long) (random.nextDouble() * atMost.toNanos())));
    }

    /** Counts a fault of that kind. */
    void did(String fault) {
        faults.merge(fault, 1, Integer::sum);
    }

    /** How many faults of that kind there were. */
    int count(String fault) {
        return faults.getOrDefault(fault, 0);
    }

    /** The newest rows, the newest first. */
    List<RunRow> recent() throws Exception {
        List<RunRow> rows = new ArrayList<>();
        api.json("/v1/admin/jobs/" + set + "/runs?limit=40").path("runs").forEach(row -> rows.add(RunRow.of(row)));
        return rows;
    }

    /** The process of that name. */
    Part process(@Nullable String name) {
        List<ClusterFile.ServeProcess> processes = cluster.describe().processes();
        for (int i = 0; i < processes.size(); i++) {
            if (processes.get(i).name().equals(name)) {
                return cluster.process(i + 1);
            }
        }
        throw new AssertionError("no process is called " + name);
    }

    /** The numbers of the processes, by the operating system. */
    List<Long> pids() {
        return cluster.describe().processes().stream().map(ClusterFile.ServeProcess::pid).toList();
    }

    /**
     * The end: everything is up again, ticks go on, then the schedule rests and the oracle judges.
     *
     * @param oracle what to add to the usual
     */
    TickReport judge(UnaryOperator<TickOracle> oracle) throws Exception {
        cluster.awaitReady();
        eventually("the API answers", LIMIT,
                () -> api.get("/v1/admin/jobs/" + set + "/runs?limit=1").statusCode() == 200);
        Instant now = Instant.now();
        eventually("ticks go on", LIMIT,
                () -> recent().stream().anyMatch(row -> row.isDone() && row.tick().isAfter(now)));
        api.put(set, upstream.url(), SCHEDULE, false);
        eventually("nothing runs", LIMIT, () -> recent().stream().noneMatch(RunRow::isOpen));
        watcher.close();
        TickReport report = oracle.apply(new TickOracle(api, set, PERIOD).withContents(upstream, 400)).verify();
        say(report.toString());
        say("watcher " + watcher);
        assertThat(watcher.complaints()).isEmpty();
        return report;
    }

    /** The line at the end. */
    void tell(TickReport report, String more) throws IOException {
        tell(set, "seconds=" + Duration.between(begun, Instant.now()).toSeconds() + " seed=" + seed + " faults="
                + faults + " " + report + " errors logged=" + errors().size() + " watcher " + watcher + more);
        told = true;
    }

    /** A line of numbers under a name. */
    static void tell(String name, String numbers) throws IOException {
        Files.createDirectories(RESULTS);
        Files.writeString(RESULTS.resolve(name + ".txt"), name + " " + numbers + "\n");
        System.out.println("SOAK " + name + " " + numbers);
    }

    private void say(String what) {
        System.out.println("soak " + set + " " + what);
    }

    /** What the processes logged as errors since the first revision. */
    List<String> errors() throws IOException {
        List<String> all = allErrors();
        return all.subList(errorsBefore, all.size());
    }

    private List<String> allErrors() throws IOException {
        List<String> errors = new ArrayList<>();
        for (Path log : logs()) {
            if (log.getFileName().toString().startsWith("process-")) {
                errors.addAll(Files.readAllLines(log).stream().filter(line -> line.contains(" ERROR ")).toList());
            }
        }
        errors.sort(null);
        return errors;
    }

    private List<Path> logs() throws IOException {
        try (Stream<Path> files = Files.list(cluster.dir().resolve("logs"))) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    @Override
    public void close() throws IOException {
        watcher.close();
        upstream.close();
        if (!told) {
            Path kept = Files.createDirectories(RESULTS.resolve(set + "-logs"));
            for (Path log : logs()) {
                Files.copy(log, kept.resolve(log.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
            say("failed; faults=" + faults + ", watcher " + watcher + ", logs kept in " + kept);
        }
    }
}
