package io.bellwether.loadtest.bulk;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.bellwether.loadtest.bench.Latencies;
import io.bellwether.loadtest.bench.Machine;
import io.bellwether.loadtest.bench.Postgres;
import io.bellwether.loadtest.bench.Results;


/**
 * All that came out, for machines (JSON) and people (Markdown).
 *
 * @param measuredAt when the benchmark began
 * @param machine where
 * @param postgres PostgreSQL's settings
 * @param options what was asked for
 * @param sizes the results
 * @param verdicts what was promised, and whether it was kept
 */
record Report(String measuredAt, Machine machine, Map<String, String> postgres, Map<String, String> options,
        List<SizeResult> sizes, List<Thresholds.Verdict> verdicts) {
    /**
     * Writes {@code bulk-<date>-<commit>.json}, {@code .md} and {@code .svg}, under a number more when that is taken.
     *
     * @return the files' common path without its ending
     */
    Path write(Path folder) throws IOException {
        Path base = Results.base(folder, "bulk", measuredAt, machine.commit());
        Results.writeJson(base, this);
        boolean plotted = Plot.write(sizes, Results.with(base, ".svg"));
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(Results.with(base, ".md"), StandardCharsets.UTF_8))) {
            print(out, plotted ? base.getFileName() + ".svg" : "");
        }
        return base;
    }

    private void print(PrintWriter out, String plot) {
        out.printf(Locale.ROOT, "# Bulk refresh, %s, commit %s%n%n",
                Instant.parse(measuredAt).toString().substring(0, 10),
                machine.commit());
        out.println(machine.words() + "\n");
        out.println("PostgreSQL: " + Results.words(postgres) + ".\n");
        out.println("Asked for: " + Results.words(options) + ".\n");
        if (!plot.isEmpty()) {
            out.println("![How time, log and memory grow](" + plot + ")\n");
        }
        verdicts.forEach(verdict -> out.println("- " + verdict.words()));
        for (SizeResult size : sizes) {
            print(out, size);
        }
        out.println();
        out.println(
                "\"Of \\copy\" is the time beside the mean of the two text copies; the log is that of PostgreSQL, beside"
                        + " the first load's. Memory is the peak of the server's resident memory.");
    }

    private static void print(PrintWriter out, SizeResult size) {
        out.printf(Locale.ROOT, "%n## %,d policies, %,.0f MB, server with -Xmx%s%n%n", size.policies(),
                (double) size.feedBytes() / 1e6, size.heap());
        out.println("| step | time | of \\copy | CPU server | CPU PostgreSQL | log | of first load | memory |");
        out.println("|---|---|---|---|---|---|---|---|");
        double firstWal = size.step(Steps.FIRST_LOAD).walBytes();
        for (Measurement step : size.steps()) {
            out.printf(Locale.ROOT, "| %s | %.3f s | %.3f | %.2f s | %.2f s | %,.2f MB | %.2f %% | %d MB |%n",
                    step.step(),
                    step.seconds(), step.seconds() / size.copySeconds(), step.serverCpuSeconds(),
                    step.postgresCpuSeconds(), (double) step.walBytes() / 1e6,
                    100 * (double) step.walBytes() / firstWal,
                    step.peakBytes() >> 20);
        }
        out.printf(Locale.ROOT, "%nFirst load of binary \\copy: %.3f.%n%n",
                size.step(Steps.FIRST_LOAD).seconds() / size.binaryCopySeconds());
        tables(out, "first load", size.afterFirstLoad());
        tables(out, "last of these steps", size.atEnd());
        if (size.readers() != null) {
            print(out, size.readers());
        }
        if (!size.longRun().isEmpty()) {
            out.println("| refreshes of 0.1 % | time of each | log | tables | policy | policy's dead rows | segment |");
            out.println("|---|---|---|---|---|---|---|");
            size.longRun().forEach(sample -> print(out, sample));
        }
    }

    private static void tables(PrintWriter out, String when, Map<String, Postgres.TableSize> tables) {
        out.println("| table after the " + when + " | rows | long values | indexes |");
        out.println("|---|---|---|---|");
        tables.forEach((name, table) -> {
            if (table.totalBytes() > 1e6) {
                out.printf(Locale.ROOT, "| %s | %,.1f MB | %,.1f MB | %,.1f MB |%n", name,
                        (double) table.rowBytes() / 1e6,
                        (double) table.toastBytes() / 1e6, (double) table.indexBytes() / 1e6);
            }
        });
        out.println();
    }

    private static void print(PrintWriter out, SizeResult.ReadersResult readers) {
        out.println("| " + readers.number() + " readers through nginx | requests | p50 | p99 | failures |");
        out.println("|---|---|---|---|---|");
        row(out, "heads, idle", readers.idle().heads(), readers.idle().failures());
        row(out, "heads, during a first load", readers.loading().heads(), readers.loading().failures());
        row(out, "bundles, idle", readers.idle().bundles(), readers.idle().failures());
        row(out, "bundles, during a first load", readers.loading().bundles(), readers.loading().failures());
        out.printf(Locale.ROOT, "%np99 during the load, of the idle one: heads %.2f, bundles %.2f.%n%n",
                readers.headRatio(),
                readers.bundleRatio());
    }

    private static void row(PrintWriter out, String what, Latencies.Summary summary, long failures) {
        out.printf(Locale.ROOT, "| %s | %,d | %.2f ms | %.2f ms | %d |%n", what, summary.requests(),
                summary.p50Millis(),
                summary.p99Millis(), failures);
    }

    private static void print(PrintWriter out, LongRun.Sample sample) {
        Postgres.TableSize none = new Postgres.TableSize(0, 0, 0, 0);
        Postgres.TableSize policy = sample.tables().getOrDefault("policy", none);
        out.printf(Locale.ROOT, "| %,d | %.3f s | %,.1f MB | %,.1f MB | %,.1f MB | %,d | %,.1f MB |%n",
                sample.refreshes(),
                sample.medianSeconds(), (double) sample.walBytes() / 1e6, (double) sample.totalBytes() / 1e6,
                (double) policy.totalBytes() / 1e6, policy.deadRows(),
                (double) sample.tables().getOrDefault("segment", none).totalBytes() / 1e6);
    }
}
