package io.bellwether.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Ends the children when {@code up} was killed and could not. A shell of a few lines that reads a pipe from {@code up};
 * when that ends, it walks through the pid file, checks that each process is still the same one, and asks it to stop. After
 * an orderly stop the pid file is empty and it has nothing to do.
 */
final class Guardian implements AutoCloseable {
    private static final String SCRIPT = """
            while read -r _; do :; done
            started() {
              stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
              set -- ${stat##*) }
              shift 19
              echo "$1"
            }
            while read -r name signal pid start; do
              if [ "$(started "$pid")" = "$start" ]; then kill -s "$signal" "$pid"; kill -s CONT "$pid"; fi
            done <"$1"
            """;

    private final Process shell;

    private Guardian(Process shell) {
        this.shell = shell;
    }

    static Guardian start(Path pids) throws IOException {
        List<String> command = Executables
                .inOwnSession(List.of("/bin/sh", "-c", SCRIPT, "bellwether-guardian", pids.toString()));
        return new Guardian(new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD).start());
    }

    long pid() {
        return shell.pid();
    }

    /** To be called when the pid file is empty. */
    @Override
    public void close() throws IOException {
        shell.getOutputStream().close();
        try {
            if (!shell.waitFor(Duration.ofSeconds(2))) {
                shell.destroyForcibly();
            }
        } catch (InterruptedException e) {
            shell.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
