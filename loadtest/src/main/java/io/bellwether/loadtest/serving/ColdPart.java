package io.bellwether.loadtest.serving;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import io.bellwether.loadtest.bench.BenchmarkException;
import io.bellwether.loadtest.bench.Cleanup;
import io.bellwether.loadtest.bench.Cluster;
import io.bellwether.loadtest.bench.ProcFs;
import io.bellwether.loadtest.bench.Verdict;

/** Servers that fetch a whole set at once, through nginx, beside the same bytes as a static file of the same nginx. */
final class ColdPart {
    static final String SET = "whole";
    /** Right after the publish: nobody has asked for this revision. */
    static final String FIRST = "first after the publish";
    /** The processes have the segments on disk, nginx has nothing. */
    static final String EMPTIED = "nginx's cache emptied";
    static final String WARM = "nginx's cache full";
    static final String STATIC = "static file";
    /** Neither nginx nor the host has anything: all comes from PostgreSQL, once. */
    static final String NEW_HOST = "all caches emptied";
    static final double LEAST_OF_STATIC = 0.9;

    private static final long SEED = 2;
    /** How much the heap may grow, after a collection, by all of this, and be called flat. */
    private static final double HEAP_GROWTH_MEGABYTES = 16;

    private final Stage stage;
    private final Map<String, List<Downloads.Result>> turns = new LinkedHashMap<>();
    private final Map<String, List<Usage>> usages = new LinkedHashMap<>();
    private final Map<String, Double> segmentReads = new LinkedHashMap<>();

    private ColdPart(Stage stage) {
        this.stage = stage;
    }

    /**
     * What came out.
     *
     * @param bytes of the set, compressed
     * @param segments of the set
     * @param turns by what was fetched
     * @param cpu seconds, likewise
     * @param firstOfStatic bytes a second of the first fetch after the publish by the static file's in the middle
     * @param emptiedOfStatic with nginx's cache emptied, the middle one of the rounds
     * @param warmOfStatic with its cache full, likewise
     * @param newHostOfStatic with everything emptied, by the static file's in the middle
     * @param segmentReads segments read from PostgreSQL, all processes together
     * @param segmentReadsBy who said so
     * @param heapBefore megabytes of heap in use by each process before, after a collection
     * @param heapAfter as that, afterwards
     * @param peakMegabytes of resident memory of each process meanwhile
     */
    record Result(long bytes, int segments, Map<String, List<Downloads.Result>> turns, Map<String, List<Usage>> cpu,
            double firstOfStatic, double emptiedOfStatic, double warmOfStatic, double newHostOfStatic,
            Map<String, Double> segmentReads, String segmentReadsBy, List<Double> heapBefore, List<Double> heapAfter,
            List<Double> peakMegabytes) {
        List<Verdict> verdicts() {
            List<Verdict> verdicts = new ArrayList<>();
            verdicts.add(Verdict.atLeast("bytes a second of cold bundles, first after the publish, of a static file's",
                    firstOfStatic, LEAST_OF_STATIC));
            verdicts.add(Verdict.atLeast("bytes a second of cold bundles, nginx's cache emptied, of a static file's",
                    emptiedOfStatic, LEAST_OF_STATIC));
            segmentReads.forEach((when, reads) -> verdicts.add(Verdict.atMost(
                    "segments read from PostgreSQL, of the set's (" + when + ")", reads / segments, 1)));
            for (int i = 0; i < heapBefore.size(); i++) {
                verdicts.add(Verdict.atMost("growth of the heap of process " + (i + 1) + " in MB",
                        heapAfter.get(i) - heapBefore.get(i), HEAP_GROWTH_MEGABYTES));
            }
            return verdicts;
        }
    }

    static Result measure(Stage stage, Cleanup cleanup) throws Exception {
        return new ColdPart(stage).measure(cleanup);
    }

    private Result measure(Cleanup cleanup) throws Exception {
        Options options = stage.options();
        // PostgreSQL's statistics count what the refresh itself reads as well.
        boolean metered = stage.segments().areMetered();
        double readsBefore = metered ? stage.segments().soFar() : 0;
        stage.load(SET, stage.policiesOfCompressed(options.bundleMegabytes() * 1_000_000L), SEED);
        long bytes = stage.api().manifest(SET).path("bytes").asLong();
        int segments = stage.api().manifest(SET).path("segments").size();
        byte[] bundle = stage.bundle(SET);
        int front = stage.cluster().port();
        for (long pid : stage.pids()) {
            ProcFs.forgetPeak(pid);
        }
        fetch(FIRST, front, stage.cluster().nginxPid(), bundle, bytes);
        if (metered) {
            segmentReads.put(FIRST, stage.segments().soFar() - readsBefore);
        }
        List<Double> heapBefore = heap(cleanup);

        Yardstick yardstick = stage.yardstick();
        saveBundle(yardstick.files().resolve("bundle"), bytes);
        byte[] plain = RawHttp.get(yardstick.staticPort(), "/bundle", List.of());
        for (int round = 0; round < options.rounds(); round++) {
            emptyNginx();
            fetch(EMPTIED, front, stage.cluster().nginxPid(), bundle, bytes);
            fetch(STATIC, yardstick.staticPort(), yardstick.pid(), plain, bytes);
            fetch(WARM, front, stage.cluster().nginxPid(), bundle, bytes);
        }
        List<Double> heapAfter = heap(cleanup);
        double before = stage.segments().soFar();
        emptyNginx();
        emptyHost();
        fetch(NEW_HOST, front, stage.cluster().nginxPid(), bundle, bytes);
        segmentReads.put(NEW_HOST, stage.segments().soFar() - before);
        List<Double> peaks = new ArrayList<>();
        for (long pid : stage.pids()) {
            peaks.add((double) ProcFs.peakBytes(pid) / 1e6);
        }
        double ofStatic = Medians.of(rates(STATIC));
        return new Result(bytes, segments, turns, usages, Medians.of(rates(FIRST)) / ofStatic,
                Medians.ofRatios(rates(EMPTIED), rates(STATIC)), Medians.ofRatios(rates(WARM), rates(STATIC)),
                Medians.of(rates(NEW_HOST)) / ofStatic, segmentReads, stage.segments().source(), heapBefore, heapAfter,
                peaks);
    }

    private void fetch(String what, int port, long nginx, byte[] request, long bytes)
            throws IOException, InterruptedException {
        Usage before = Usage.look(nginx, stage.pids());
        Downloads.Result result = Downloads.once(port, request, stage.options().clients(), bytes,
                stage.options().limit());
        Usage used = Usage.look(nginx, stage.pids()).since(before, 1);
        turns.computeIfAbsent(what, any -> new ArrayList<>()).add(result);
        usages.computeIfAbsent(what, any -> new ArrayList<>()).add(used);
        System.out.printf(Locale.ROOT, "  bundles, %-42s %8.1f MB/s  %6.2f s  first byte of the slowest %7.1f ms"
                + "  CPU nginx %5.2f s, processes %5.2f s, client %5.2f s%n", what, result.bytesPerSecond() / 1e6,
                result.seconds(), result.firstByteMillis(), used.nginx(), used.processes(), used.client());
    }

    private List<Double> rates(String what) {
        return turns.get(what).stream().map(Downloads.Result::bytesPerSecond).toList();
    }

    private List<Double> heap(Cleanup cleanup) throws IOException, InterruptedException {
        List<Double> heaps = new ArrayList<>();
        for (Cluster.Server server : stage.cluster().servers()) {
            heaps.add(Metrics.heapBytes(server, cleanup) / 1e6);
        }
        return heaps;
    }

    /** Fetches it once for the static file, by way of the redirect, as anyone would. */
    private void saveBundle(Path file, long bytes) throws IOException, InterruptedException {
        HttpResponse<InputStream> answer = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NORMAL).build()
                .send(HttpRequest
                        .newBuilder(URI.create(stage.cluster().url() + "/v1/sets/" + SET + "/bundle.ndjson.gz"))
                        .timeout(stage.options().limit()).header("Authorization", "Bearer " + stage.token()).build(),
                        HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream in = answer.body()) {
            long copied = Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
            if (answer.statusCode() != 200 || copied != bytes) {
                throw new BenchmarkException("the bundle was answered with " + answer.statusCode() + " and " + copied
                        + " bytes instead of " + bytes);
            }
        }
    }

    /** Deletes what nginx has stored of answers; what is missing it fetches again. */
    private void emptyNginx() throws IOException {
        empty(stage.cluster().folder().resolve("nginx/cache/objects"));
    }

    private void emptyHost() throws IOException {
        empty(stage.cluster().folder().resolve("data/segments"));
    }

    private static void empty(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
