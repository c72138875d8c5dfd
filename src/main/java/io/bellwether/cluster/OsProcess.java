package io.bellwether.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * One process of the operating system, named so that it cannot be confused with a later one that got the same number.
 *
 * @param pid its number
 * @param startTicks when it started, in clock ticks since boot, as {@code /proc/PID/stat} has it
 */
record OsProcess(long pid, long startTicks) {
    private static final int START_TIME_AFTER_COMMAND = 19;

    /** The process that has this number now; none when there is none, or only its corpse. */
    static Optional<OsProcess> of(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"), StandardCharsets.ISO_8859_1);
            // "pid (command) state ppid ...": the command may hold anything, also ")"
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", START_TIME_AFTER_COMMAND + 2);
            if (fields[0].equals("Z") || fields[0].equals("X")) {
                return Optional.empty();
            }
            return Optional.of(new OsProcess(pid, Long.parseLong(fields[START_TIME_AFTER_COMMAND])));
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }

    boolean isAlive() {
        return of(pid).filter(this::equals).isPresent();
    }

    /** Sends a signal ({@code TERM}, {@code INT}, …) to this process, if it still is. */
    void signal(String signal) {
        if (isAlive()) {
            kill(signal, Long.toString(pid));
        }
    }

    /**
     * Sends a signal to the process group that this process leads or led. nginx's workers outlive a killed master and keep
     * its port; they are found by their group.
     */
    void signalGroup(String signal) {
        kill(signal, "-" + pid);
    }

    /** Waits until it is gone; false when it still is after {@code limit}. */
    boolean awaitEnd(Duration limit) throws InterruptedException {
        return Waiting.until(limit, () -> !isAlive());
    }

    private static void kill(String signal, String target) {
        try {
            Process kill = new ProcessBuilder("/bin/sh", "-c", "kill -s \"$1\" -- \"$2\"", "sh", signal, target)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!kill.waitFor(5, TimeUnit.SECONDS)) {
                kill.destroyForcibly();
            }
        } catch (IOException e) {
            throw new IllegalStateException("cannot run /bin/sh to send a signal", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
