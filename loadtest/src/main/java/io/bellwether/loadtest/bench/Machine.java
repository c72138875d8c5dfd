package io.bellwether.loadtest.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Where and of what it was measured.
 *
 * @param cpus how many
 * @param cpu their model
 * @param memoryBytes of the machine
 * @param kernel the operating system
 * @param loadBefore how many processes wanted to run when the benchmark began, over a minute
 * @param benchmarkJvm the Java of the benchmark itself; the product finds its own
 * @param with which other programs had a part in it
 * @param commit of the source, with {@code -dirty} when files differ from it
 */
public record Machine(int cpus, String cpu, long memoryBytes, String kernel, String loadBefore, String benchmarkJvm,
        String with, String commit) {
    /**
     * Looks.
     *
     * @param with as in the record
     */
    public static Machine look(Cleanup cleanup, String with) throws IOException, InterruptedException {
        return new Machine(Runtime.getRuntime().availableProcessors(), line("/proc/cpuinfo", "model name"),
                Long.parseLong(line("/proc/meminfo", "MemTotal").replaceAll("\\D", "")) << 10,
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"),
                Files.readString(Path.of("/proc/loadavg"), StandardCharsets.US_ASCII).split(" ", 2)[0],
                Runtime.version().toString(), with, commit(cleanup));
    }

    private static String commit(Cleanup cleanup) throws IOException, InterruptedException {
        String base = System.getProperty("loadtest.basedir", ".");
        try {
            return Programs.run(cleanup, Duration.ofSeconds(20), Map.of(),
                    List.of("git", "-C", base, "describe", "--always",
                            "--match=", "--abbrev=7", "--dirty"));
        } catch (IOException | BenchmarkException e) {
            return "unknown";
        }
    }

    private static String line(String file, String name) throws IOException {
        return Files.readString(Path.of(file), StandardCharsets.UTF_8).lines().filter(line -> line.startsWith(name))
                .map(line -> line.substring(line.indexOf(':') + 1).strip()).findFirst().orElse("unknown");
    }

    /** The same, with those programs named. */
    public Machine with(String programs) {
        return new Machine(cpus, cpu, memoryBytes, kernel, loadBefore, benchmarkJvm, programs, commit);
    }

    /** For people, in a line. */
    public String words() {
        return String.format(Locale.ROOT, "%d CPUs (%s), %,d MB of memory, %s, load before %s. %s.", cpus, cpu,
                memoryBytes >> 20, kernel, loadBefore, with);
    }
}
