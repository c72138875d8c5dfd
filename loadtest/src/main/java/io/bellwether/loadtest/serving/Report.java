package io.bellwether.loadtest.serving;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonInclude;

import io.bellwether.loadtest.bench.Machine;
import io.bellwether.loadtest.bench.Results;
import io.bellwether.loadtest.bench.Verdict;

/**
 * All that came out, for machines (JSON) and people (Markdown); parts that were not measured are null.
 *
 * @param measuredAt when the benchmark began
 * @param machine where
 * @param options what was asked for
 * @param polls answers that nothing changed
 * @param cold whole sets
 * @param changes what a change costs a client
 * @param during polls while other things happen
 * @param verdicts what was promised, and whether it was kept
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Report(String measuredAt, Machine machine, Map<String, String> options, PollsPart.Result polls,
        ColdPart.Result cold, ChangesPart.Result changes, DuringPart.Result during, List<Verdict> verdicts) {
    /**
     * Writes {@code serving-<date>-<commit>.json}, {@code .md} and {@code .svg}.
     *
     * @return the files' common path without its ending
     */
    Path write(Path folder) throws IOException {
        Path base = Results.base(folder, "serving", measuredAt, machine.commit());
        Results.writeJson(base, this);
        boolean plotted = Plot.write(this, Results.with(base, ".svg"));
        try (PrintWriter out = new PrintWriter(
                Files.newBufferedWriter(Results.with(base, ".md"), StandardCharsets.UTF_8))) {
            print(out, plotted ? base.getFileName() + ".svg" : "");
        }
        return base;
    }

    private void print(PrintWriter out, String plot) {
        out.printf(Locale.ROOT, "# Serving, %s, commit %s%n%n", measuredAt.substring(0, 10), machine.commit());
        out.println(machine.words() + "\n");
        out.println("Asked for: " + Results.words(options) + ".\n");
        if (!plot.isEmpty()) {
            out.println("![What was measured beside its yardstick](" + plot + ")\n");
        }
        verdicts.forEach(verdict -> out.println("- " + verdict.words()));
        if (polls != null) {
            print(out, polls);
        }
        if (cold != null) {
            print(out, cold);
        }
        if (changes != null) {
            print(out, changes);
        }
        if (during != null) {
            print(out, during);
        }
    }

    private static void print(PrintWriter out, PollsPart.Result polls) {
        out.println("\n## Polls that are answered 304, through nginx\n");
        out.println("| round | answered by | a second | p50 | p99 | CPU of 1,000: nginx | processes | client |");
        out.println("|---|---|---|---|---|---|---|---|");
        int rounds = polls.turns().values().stream().mapToInt(List::size).max().orElse(0);
        for (int i = 0; i < rounds; i++) {
            int round = i;
            polls.turns().forEach((what, turns) -> {
                PollsPart.Turn turn = turns.get(round);
                out.printf(Locale.ROOT, "| %d | %s | %,.0f | %.2f ms | %.2f ms | %.4f s | %.4f s | %.4f s |%n",
                        round + 1, what, turn.perSecond(), turn.p50Millis(), turn.p99Millis(),
                        turn.cpuOfThousand().nginx(), turn.cpuOfThousand().processes(), turn.cpuOfThousand().client());
            });
        }
        out.printf(Locale.ROOT, "%nOf the smallest Jetty handler: %.3f. Of a static file of the same nginx: %.3f; the"
                + " smallest Jetty handler has %.3f of that. (The middle one of the rounds each.)%n", polls.ofJetty(),
                polls.ofStatic(), polls.jettyOfStatic());
        out.println("\nThe header of the answers of both:\n");
        polls.header().forEach(line -> out.println("    " + line));
    }

    private static void print(PrintWriter out, ColdPart.Result cold) {
        out.printf(Locale.ROOT, "%n## Whole sets of %,.1f MB in %,d segments, through nginx%n%n",
                (double) cold.bytes() / 1e6, cold.segments());
        out.println("| fetched | MB a second | all had it after | slowest first byte | CPU nginx | processes | client |");
        out.println("|---|---|---|---|---|---|---|");
        cold.turns().forEach((what, turns) -> {
            for (int i = 0; i < turns.size(); i++) {
                Downloads.Result turn = turns.get(i);
                Usage cpu = cold.cpu().get(what).get(i);
                out.printf(Locale.ROOT, "| %s | %,.1f | %.2f s | %,.1f ms | %.2f s | %.2f s | %.2f s |%n", what,
                        turn.bytesPerSecond() / 1e6, turn.seconds(), turn.firstByteMillis(), cpu.nginx(),
                        cpu.processes(), cpu.client());
            }
        });
        out.printf(Locale.ROOT, "%nOf the static file's: first after the publish %.3f, nginx's cache emptied %.3f,"
                + " nginx's cache full %.3f, everything emptied %.3f.%n%n", cold.firstOfStatic(),
                cold.emptiedOfStatic(), cold.warmOfStatic(), cold.newHostOfStatic());
        cold.segmentReads().forEach((when, reads) -> out.printf(Locale.ROOT,
                "Segments read from PostgreSQL, %s: %,.0f of %,d (%s).%n%n", when, reads, cold.segments(),
                cold.segmentReadsBy()));
        for (int i = 0; i < cold.heapBefore().size(); i++) {
            out.printf(Locale.ROOT, "Process %d: heap in use after a collection %.1f MB before, %.1f MB after;"
                    + " peak of resident memory %.1f MB.%n%n", i + 1, cold.heapBefore().get(i),
                    cold.heapAfter().get(i), cold.peakMegabytes().get(i));
        }
    }

    private static void print(PrintWriter out, ChangesPart.Result changes) {
        out.printf(Locale.ROOT, "%n## What a client receives after %,d of %,d policies changed%n%n", changes.changed(),
                changes.policies());
        out.println("| way | bytes | of the set's lines | of its bundle |");
        out.println("|---|---|---|---|");
        row(out, "changes", changes.changesBytes(), changes);
        row(out, "changes, to a client that takes gzip (" + (changes.encoding().isEmpty() ? "not encoded"
                : changes.encoding()) + ")", changes.gzipBytes(), changes);
        row(out, String.format(Locale.ROOT, "manifest and the %,d segments it has not", changes.segments()),
                changes.manifestBytes() + changes.segmentsBytes(), changes);
        row(out, "bundle", changes.bytes(), changes);
    }

    private static void row(PrintWriter out, String way, long bytes, ChangesPart.Result changes) {
        out.printf(Locale.ROOT, "| %s | %,d | %.4f | %.4f |%n", way, bytes,
                (double) bytes / (double) changes.rawBytes(), (double) bytes / (double) changes.bytes());
    }

    private static void print(PrintWriter out, DuringPart.Result during) {
        out.printf(Locale.ROOT, "%n## Polls while a feed of %,.0f MB is loaded (%.1f s) and cold clients fetch%n%n",
                (double) during.rawBytes() / 1e6, during.refreshSeconds());
        out.println("| meanwhile | polls | p50 | p99 | failed | static file: p50 | p99 | cold clients |");
        out.println("|---|---|---|---|---|---|---|---|");
        for (DuringPart.Window window : List.of(during.idle(), during.cold(), during.loading())) {
            out.printf(Locale.ROOT, "| %s | %,d | %.2f ms | %.2f ms | %d | %.2f ms | %.2f ms | %,.0f MB/s |%n",
                    window.when(), window.polls().latencies().requests(), window.polls().latencies().p50Millis(),
                    window.polls().latencies().p99Millis(), window.polls().failures(),
                    window.statics().latencies().p50Millis(), window.statics().latencies().p99Millis(),
                    window.downloads() == null ? 0 : window.downloads().bytesPerSecond() / 1e6);
        }
        out.printf(Locale.ROOT, "%np99 of the idle one: %.2f; of a static file %.2f.%n", during.ratio(),
                during.loading().statics().latencies().p99Millis() / during.idle().statics().latencies().p99Millis());
    }
}
