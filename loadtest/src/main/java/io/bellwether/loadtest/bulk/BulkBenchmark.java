package io.bellwether.loadtest.bulk;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.bellwether.loadtest.bench.Cleanup;
import io.bellwether.loadtest.bench.Machine;
import io.bellwether.loadtest.bench.Property;
import io.bellwether.loadtest.bench.Run;

/**
 * Measures, for each size: its own cluster, the yardstick, all refreshes, the yardstick again. Then judges and writes the
 * results. Exits with 0 when every promise was kept, 1 when one was missed, 2 when the benchmark could not be made.
 */
public final class BulkBenchmark {
    private BulkBenchmark() {}

    /** Takes system properties alone: see {@link Options}. */
    public static void main(String[] args) {
        Run.main("bulk benchmark", cleanup -> run(Options.read(), cleanup));
    }

    private static boolean run(Options options, Cleanup cleanup) throws Exception {
        Instant begun = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        Machine machine = Machine.look(cleanup, Yardstick.program(cleanup));
        Files.createDirectories(options.work());
        Property.checkDisk(options.work(), options.diskBytes());
        Path work = Files.createTempDirectory(options.work(), "bellwether-bulk-");
        cleanup.add(() -> Property.removeTree(work));
        Map<String, String> settings = new LinkedHashMap<>();
        List<SizeResult> sizes = new ArrayList<>();
        for (long policies : options.policies()) {
            System.out.printf("%,d policies, server with -Xmx%s:%n", policies, options.heapFor(policies));
            Path folder = Files.createDirectory(work.resolve(Long.toString(policies)));
            try (Cleanup ofSize = new Cleanup()) {
                cleanup.add(ofSize::close);
                sizes.add(BulkRun.measure(options, policies, folder, ofSize, settings));
            }
            Property.removeTree(folder);
        }
        List<Thresholds.Verdict> verdicts = Thresholds.judge(sizes);
        Path written = new Report(begun.toString(), machine, settings, words(options), sizes, verdicts)
                .write(options.results());
        verdicts.forEach(verdict -> System.out.println(verdict.words()));
        System.out.println("written: " + written + ".md, .json and .svg");
        return verdicts.stream().allMatch(Thresholds.Verdict::kept);
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
}
