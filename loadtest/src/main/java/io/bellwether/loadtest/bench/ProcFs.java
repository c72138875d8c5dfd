package io.bellwether.loadtest.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What Linux tells of processes. */
public final class ProcFs {
    private static final Path PROC = Path.of("/proc");
    /** Ticks of /proc's times; 100 on every Linux that runs a JVM (USER_HZ). */
    private static final double TICKS_PER_SECOND = 100;
    /** By number in {@code proc_pid_stat(5)}. */
    private static final int PARENT = 4;
    private static final int USER_TIME = 14;
    private static final int TIMES = 4;

    private ProcFs() {}

    /** CPU seconds of a process, its living children, and those that have ended and were waited for. */
    public static double cpuSeconds(long pid) throws IOException {
        double seconds = own(Files.readString(stat(pid), StandardCharsets.ISO_8859_1));
        try (Stream<Path> all = Files.list(PROC)) {
            for (Path process : all.filter(p -> p.getFileName().toString().matches("[0-9]+")).toList()) {
                try {
                    String stat = Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
                    if (Long.parseLong(field(stat, PARENT)) == pid) {
                        seconds += own(stat);
                    }
                } catch (IOException e) {
                    // It has ended between two looks; its parent's figures have it.
                    continue;
                }
            }
        }
        return seconds;
    }

    /** CPU seconds of a process itself, without its children. */
    public static double ownCpuSeconds(long pid) throws IOException {
        String stat = Files.readString(stat(pid), StandardCharsets.ISO_8859_1);
        return (double) (Long.parseLong(field(stat, USER_TIME)) + Long.parseLong(field(stat, USER_TIME + 1)))
                / TICKS_PER_SECOND;
    }

    private static double own(String stat) {
        long ticks = 0;
        for (int i = 0; i < TIMES; i++) {
            ticks += Long.parseLong(field(stat, USER_TIME + i));
        }
        return (double) ticks / TICKS_PER_SECOND;
    }

    /** The second field is a name in parentheses that may hold anything. */
    private static String field(String stat, int number) {
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[number - 3];
    }

    private static Path stat(long pid) {
        return PROC.resolve(Long.toString(pid)).resolve("stat");
    }

    /** The program that a process runs. */
    public static Path program(long pid) throws IOException {
        return Files.readSymbolicLink(PROC.resolve(Long.toString(pid)).resolve("exe"));
    }

    /** The words of the command line of a process. */
    public static List<String> commandLine(long pid) throws IOException {
        return List.of(Files.readString(PROC.resolve(Long.toString(pid)).resolve("cmdline"), StandardCharsets.UTF_8)
                .split("\0"));
    }

    /** Forgets the peak of a process's resident memory; false where that is not permitted. */
    public static boolean forgetPeak(long pid) {
        try {
            Files.writeString(PROC.resolve(Long.toString(pid)).resolve("clear_refs"), "5");
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** The peak of a process's resident memory, in bytes, since it was forgotten or else since the process began. */
    public static long peakBytes(long pid) throws IOException {
        return Files.readString(PROC.resolve(Long.toString(pid)).resolve("status"), StandardCharsets.ISO_8859_1).lines()
                .filter(line -> line.startsWith("VmHWM:")).mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst().orElseThrow(() -> new BenchmarkException("process " + pid + " has no VmHWM")) << 10;
    }
}
