package io.bellwether.loadtest.serving;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.bellwether.loadtest.bench.Cleanup;
import io.bellwether.loadtest.bench.Machine;
import io.bellwether.loadtest.bench.ProcFs;
import io.bellwether.loadtest.bench.Programs;
import io.bellwether.loadtest.bench.Property;
import io.bellwether.loadtest.bench.Run;
import io.bellwether.loadtest.bench.Verdict;

/**
 * Measures what a fleet gets, part by part, judges and writes the results. Exits with 0 when every promise was kept, 1 when
 * one was missed, 2 when the benchmark could not be made.
 */
public final class ServingBenchmark {
    private static final Duration VERSION_LIMIT = Duration.ofSeconds(10);

    private ServingBenchmark() {}

    /** Takes system properties alone: see {@link Options}. */
    public static void main(String[] args) {
        Run.main("serving benchmark", cleanup -> run(Options.read(), cleanup));
    }

    private static boolean run(Options options, Cleanup cleanup) throws Exception {
        Instant begun = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        Files.createDirectories(options.work());
        Property.checkDisk(options.work(), options.diskBytes());
        Machine alone = Machine.look(cleanup, "");
        Path work = Files.createTempDirectory(options.work(), "bellwether-serving-");
        cleanup.add(() -> Property.removeTree(work));
        Stage stage = Stage.set(options, work, cleanup);
        Machine machine = alone.with(programs(stage, cleanup));

        PollsPart.Result polls = null;
        ColdPart.Result cold = null;
        ChangesPart.Result changes = null;
        DuringPart.Result during = null;
        List<Verdict> verdicts = new ArrayList<>();
        if (options.parts().contains("polls")) {
            polls = PollsPart.measure(stage);
            verdicts.addAll(polls.verdicts());
        }
        if (options.parts().contains("cold")) {
            cold = ColdPart.measure(stage, cleanup);
            verdicts.addAll(cold.verdicts());
        }
        if (options.parts().contains("changes")) {
            changes = ChangesPart.measure(stage);
            verdicts.addAll(changes.verdicts());
        }
        if (options.parts().contains("during")) {
            if (cold == null) {
                stage.load(ColdPart.SET, stage.policiesOfCompressed(options.bundleMegabytes() * 1_000_000L), 2);
            }
            during = DuringPart.measure(stage, ColdPart.SET);
            verdicts.addAll(during.verdicts());
        }
        Path written = new Report(begun.toString(), machine, options.words(), polls, cold, changes, during, verdicts)
                .write(options.results());
        verdicts.forEach(verdict -> System.out.println(verdict.words()));
        System.out.println("written: " + written + ".md, .json and .svg");
        return verdicts.stream().allMatch(Verdict::kept);
    }

    private static String programs(Stage stage, Cleanup cleanup) throws Exception {
        String nginx = Programs.run(cleanup, VERSION_LIMIT, Map.of(),
                List.of(ProcFs.program(stage.cluster().nginxPid()).toString(), "-v"));
        Path java = ProcFs.program(stage.cluster().serverPid());
        String jvm = Programs.run(cleanup, VERSION_LIMIT, Map.of(), List.of(java.toString(), "--version")).lines()
                .findFirst().orElse("");
        return nginx.replace("nginx version: ", "") + "; " + jvm + " with "
                + String.join(" ", JettyProcess.options(stage.cluster().serverPid()));
    }
}
