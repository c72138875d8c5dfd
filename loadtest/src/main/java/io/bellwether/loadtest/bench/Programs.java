package io.bellwether.loadtest.bench;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Runs other programs, each with a limit; none outlives the benchmark. */
public final class Programs {
    private static final int STOP_SECONDS = 40;

    private Programs() {}

    /** A program by its name, from {@code PATH}. */
    public static Optional<Path> onPath(String name) {
        String path = System.getenv().getOrDefault("PATH", "");
        for (String folder : path.split(File.pathSeparator, -1)) {
            Path program = Path.of(folder.isEmpty() ? "." : folder, name);
            if (Files.isExecutable(program) && !Files.isDirectory(program)) {
                return Optional.of(program);
            }
        }
        return Optional.empty();
    }

    /**
     * Runs a program to its end.
     *
     * @param environment what is added to this process's own, from which all of Bellwether's variables are left out
     * @return its output
     * @throws BenchmarkException when it fails or takes longer than {@code limit}
     */
    public static String run(Cleanup cleanup, Duration limit, Map<String, String> environment, List<String> command)
            throws IOException, InterruptedException {
        Ended ended = attempt(cleanup, limit, environment, command);
        if (ended.status() != 0) {
            throw new BenchmarkException(
                    command.get(0) + " failed with status " + ended.status() + ": " + ended.output());
        }
        return ended.output();
    }

    /**
     * How a program ended.
     *
     * @param status what it returned
     * @param output what it said
     */
    public record Ended(int status, String output) {}

    /**
     * As {@link #run}, for a program whose failure tells something.
     *
     * @throws BenchmarkException when it takes longer than {@code limit}
     */
    public static Ended attempt(Cleanup cleanup, Duration limit, Map<String, String> environment, List<String> command)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile("benchmark-", ".out");
        try {
            Process process = start(command, environment, output);
            // Once it has ended this does nothing.
            cleanup.add(() -> stop(process));
            if (!process.waitFor(limit.toSeconds(), TimeUnit.SECONDS)) {
                stop(process);
                throw new BenchmarkException(command.get(0) + " took longer than " + limit);
            }
            return new Ended(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8).strip());
        } finally {
            Files.deleteIfExists(output);
        }
    }

    /** Starts a program; the caller stops it. */
    public static Process start(List<String> command, Map<String, String> environment, Path output) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectInput(new File("/dev/null")).redirectOutput(output.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("BELLWETHER_"));
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** Starts a program whose standard input is open as long as this one lives; the caller stops it. */
    public static Process startWithInput(List<String> command, Path output) throws IOException {
        return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
    }

    /** Stops a program and returns when it is gone. */
    public static void stop(Process process) throws InterruptedException {
        process.destroy();
        if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor(STOP_SECONDS, TimeUnit.SECONDS);
        }
    }
}
