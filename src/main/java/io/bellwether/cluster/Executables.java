package io.bellwether.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Programs of the machine: finding them, and running one to its end within a time. */
final class Executables {
    private static final List<String> SYSTEM_FOLDERS = List.of("/usr/local/sbin", "/usr/local/bin", "/usr/sbin",
            "/usr/bin", "/sbin", "/bin", "/opt/homebrew/bin", "/usr/local/nginx/sbin");

    private Executables() {}

    /** The first of that name on the PATH or in the system's usual folders (an ordinary user's PATH often has no sbin). */
    static Optional<Path> onPath(String name) {
        String path = System.getenv("PATH");
        Stream<String> folders = path == null ? Stream.empty() : Stream.of(path.split(":", -1));
        return Stream.concat(folders.filter(f -> f.startsWith("/")), SYSTEM_FOLDERS.stream())
                .map(f -> Path.of(f, name)).filter(p -> Files.isRegularFile(p) && Files.isExecutable(p)).findFirst();
    }

    /**
     * The command in a session of its own, so that a ctrl-C in the terminal does not reach it. The number stays that of the
     * child: setsid forks only for the leader of a group, and a child of a JVM leads none.
     */
    static List<String> inOwnSession(List<String> command) {
        return Stream.concat(onPath("setsid").map(Path::toString).stream(), command.stream()).toList();
    }

    /**
     * How a program ended.
     *
     * @param status its exit status; −1 when the time was up and it was killed
     * @param output both streams, at most some KB
     */
    record Result(int status, String output) {
        /** The last line that says something, for a message of one line. */
        String lastLine() {
            return lines().reduce((_, b) -> b).orElse("no output, exit status " + status);
        }

        Stream<String> lines() {
            return output.lines().map(String::strip).filter(l -> !l.isEmpty());
        }
    }

    /** Runs to the end in {@code dir}; {@code environment} is added to ours. */
    static Result run(Duration limit, Path dir, Map<String, String> environment, List<String> command)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile("bellwether", ".out");
        try {
            ProcessBuilder builder = new ProcessBuilder(command).directory(dir.toFile()).redirectErrorStream(true)
                    .redirectOutput(output.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            process.getOutputStream().close();
            boolean done = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
            if (!done) {
                process.destroyForcibly().waitFor();
            }
            String text = new String(Files.readAllBytes(output), StandardCharsets.UTF_8);
            return done
                    ? new Result(process.exitValue(), text)
                    : new Result(-1, text + "\nnot done after " + limit.toSeconds() + " s");
        } finally {
            Files.delete(output);
        }
    }
}
