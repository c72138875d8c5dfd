package io.bellwether.loadtest.bulk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Measures, for each size: its own cluster, the yardstick, all refreshes, the yardstick again. Then judges and writes the
 * results. Exits with 0 when every promise was kept, 1 when one was missed, 2 when the benchmark could not be made.
 */
public final class BulkBenchmark {
    private static final int MISSED = 1;
    private static final int FAILED = 2;

    private BulkBenchmark() {}

    /** Takes system properties alone: see {@link Options}. */
    public static void main(String[] args) {
        Locale.setDefault(Locale.ROOT);
        int status;
        try (Cleanup cleanup = new Cleanup().undoneOnSignal()) {
            status = attempt(cleanup);
        }
        if (status != 0) {
            System.exit(status);
        }
    }

    private static int attempt(Cleanup cleanup) {
        try {
            return run(Options.read(), cleanup);
        } catch (BenchmarkException e) {
            System.err.println("bulk benchmark: " + e.getMessage());
        } catch (Exception e) {
            // Stopped by a signal, whatever was under way fails in its own way.
            if (cleanup.isOver()) {
                System.err.println("bulk benchmark: stopped");
            } else {
                System.err.println("bulk benchmark failed:");
                e.printStackTrace();
            }
        }
        return FAILED;
    }

    private static int run(Options options, Cleanup cleanup) throws Exception {
        Instant begun = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        Machine machine = Machine.look(cleanup);
        Files.createDirectories(options.work());
        options.checkDisk();
        Path work = Files.createTempDirectory(options.work(), "bellwether-bulk-");
        cleanup.add(() -> removeTree(work));
        Map<String, String> settings = new LinkedHashMap<>();
        List<SizeResult> sizes = new ArrayList<>();
        for (long policies : options.policies()) {
            System.out.printf("%,d policies, server with -Xmx%s:%n", policies, options.heapFor(policies));
            Path folder = Files.createDirectory(work.resolve(Long.toString(policies)));
            try (Cleanup ofSize = new Cleanup()) {
                cleanup.add(ofSize::close);
                sizes.add(BulkRun.measure(options, policies, folder, ofSize, settings));
            }
            removeTree(folder);
        }
        List<Thresholds.Verdict> verdicts = Thresholds.judge(sizes);
        Path written = new Report(begun.toString(), machine, settings, words(options), sizes, verdicts)
                .write(options.results());
        verdicts.forEach(verdict -> System.out.println(verdict.words()));
        System.out.println("written: " + written + ".md, .json and .svg");
        return verdicts.stream().allMatch(Thresholds.Verdict::kept) ? 0 : MISSED;
    }

    private static Map<String, String> words(Options options) {
        Map<String, String> words = new LinkedHashMap<>();
        words.put("policies", options.policies().toString());
        words.put("heap", options.heap().isEmpty() ? "by size" : options.heap());
        words.put("jvm", options.jvm().isEmpty() ? "no more options" : options.jvm());
        words.put("refreshes", Integer.toString(options.refreshes()));
        words.put("readers", Integer.toString(options.readers()));
        return words;
    }

    private static void removeTree(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(path);
                }
            }
        }
    }
}
