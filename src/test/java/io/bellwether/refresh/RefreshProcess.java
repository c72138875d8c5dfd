package io.bellwether.refresh;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

import io.bellwether.lease.RunResult;
import io.bellwether.settings.Settings;
import io.bellwether.testing.TestLease;

/** One refresh in a JVM of its own, which can be killed or be short of memory; used by its test alone. */
final class RefreshProcess {
    private RefreshProcess() {}

    /** Runs the job once and says how it ended. */
    public static void main(String[] args) {
        String said;
        try {
            Bench bench = new Bench(Path.of(args[0]),
                    new Settings.Database(args[1], args[2], new Settings.Secret(""), 4));
            TestLease lease = TestLease.claim(bench.database, Long.parseLong(args[3]));
            try {
                RunResult result = bench.run(lease);
                said = result.state().text() + " " + result.revision();
            } catch (Throwable t) {
                said = "threw " + t;
                lease.record(RunResult.failed(t.toString()));
            }
        } catch (Throwable t) {
            said = "broke " + t;
        }
        System.out.println("run " + said);
        System.out.flush();
        // Threads of a process without memory may not end.
        Runtime.getRuntime().halt(0);
    }

    /** Starts one. */
    static Process start(Bench bench, long jobId, String... options) throws IOException {
        List<String> command = new java.util.ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin/java").toString()));
        command.addAll(List.of(options));
        command.addAll(List.of("-XX:+UseSerialGC", "-cp",
                System.getProperty("java.class.path"), RefreshProcess.class.getName(), bench.folder.toString(),
                bench.settings.url(), bench.settings.user(), Long.toString(jobId)));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    /** Waits for its end; what it said of the run. */
    static String outcome(Process process) throws IOException {
        StringBuilder all = new StringBuilder();
        try (BufferedReader out = new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                if (line.startsWith("run ")) {
                    return line.substring("run ".length());
                }
                all.append(line).append('\n');
            }
        }
        throw new AssertionError("the process did not say how it ended: " + all);
    }
}
