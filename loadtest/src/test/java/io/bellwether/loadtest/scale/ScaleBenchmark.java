package io.bellwether.loadtest.scale;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.bellwether.loadtest.bench.Cleanup;
import io.bellwether.loadtest.bench.Machine;
import io.bellwether.loadtest.bench.Property;
import io.bellwether.loadtest.bench.Run;

/**
 * Runs all simulations for each number of processes and draws how throughput and tail grow. Exits with 0 when all kept their
 * thresholds, 1 when one did not, 2 when it could not be made.
 */
public final class ScaleBenchmark {
    private static final long DISK_BYTES = 3L << 30;
    private static final long DISK_BYTES_A_POLICY = 10_000;

    private ScaleBenchmark() {}

    /** Takes system properties alone: see {@link Options}. */
    public static void main(String[] args) {
        Run.main("scale benchmark", cleanup -> run(Options.read(), cleanup));
    }

    private static boolean run(Options options, Cleanup cleanup) throws Exception {
        Instant begun = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        Files.createDirectories(options.work());
        Property.checkDisk(options.work(), DISK_BYTES + options.policies() * DISK_BYTES_A_POLICY);
        Machine machine = Machine.look(cleanup, "Clients and servers share it");
        Path work = Files.createTempDirectory(options.work(), "bellwether-scale-");
        cleanup.add(() -> Property.removeTree(work));
        List<Outcome> outcomes = new ArrayList<>();
        for (int processes : options.processes()) {
            Path folder = Files.createDirectory(work.resolve(Integer.toString(processes)));
            try (Cleanup ofThis = new Cleanup()) {
                cleanup.add(ofThis::close);
                Simulations simulations = new Simulations(options, processes, folder, ofThis);
                for (String simulation : options.simulations()) {
                    // One process alone cannot restart without anyone noticing.
                    if (processes > 1 || !simulation.equals("Rolling")) {
                        outcomes.add(say(simulations.run(simulation)));
                    }
                }
            }
            Property.removeTree(folder);
        }
        Path written = new Report(begun.toString(), machine, options.told(), outcomes).write(options.results());
        System.out.println("written: " + written + ".md, .json and .svg");
        return outcomes.stream().allMatch(Outcome::passed);
    }

    private static Outcome say(Outcome outcome) {
        System.out.printf(Locale.ROOT, "  %d processes, %-8s %-6s %,9.0f requests/s, %,d of %,d failed",
                outcome.processes(), outcome.simulation(), outcome.passed() ? "passed" : "FAILED", outcome.perSecond(),
                outcome.failed(), outcome.count());
        System.out.println(outcome.timed().isEmpty() ? "" : String.format(Locale.ROOT,
                "; p50 %,.0f ms, p99 %,.0f ms %s", outcome.p50Millis(), outcome.p99Millis(), outcome.timed()));
        return outcome;
    }
}
