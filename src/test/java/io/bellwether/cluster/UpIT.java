package io.bellwether.cluster;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bellwether up} of the distribution, as a person runs it: four real processes, the demo, a line per tick. */
class UpIT {
    private static final Duration START = Duration.ofMinutes(3);
    private static final Duration STOP = Duration.ofSeconds(30);
    private static final Pattern CURL = Pattern
            .compile("curl -s -H 'Authorization: (Bearer [^']+)' (?:-L )?'?(http://[^ ']+)'?.*");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;
    private final List<String> said = new CopyOnWriteArrayList<>();
    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void end() throws Exception {
        for (Process process : started) {
            process.destroy();
            if (!process.waitFor(STOP)) {
                process.destroyForcibly();
            }
        }
    }

    @Test
    void up_withTheDemo_isReadyTellsTicksAndLeavesNothingAtSigterm() throws Exception {
        Process up = up("--port", "0", "--dir", dir.toString());
        awaitLine(up, line -> line.startsWith("ready "));
        awaitLine(up, line -> line.contains(" led: published revision ") && line.contains("; skipped: "));
        assertThat(said.stream().filter(l -> l.startsWith("ready "))).hasSize(1);
        List<String> curls = said.stream().filter(l -> l.strip().startsWith("curl ")).map(String::strip).toList();
        assertThat(curls).hasSizeGreaterThan(2);
        for (String curl : curls) {
            assertThat(runs(curl)).as(curl).isEqualTo(200);
        }

        ClusterFile cluster = ClusterFile.read(dir.resolve("cluster.json"));
        assertThat(cluster.processes()).hasSize(4).allSatisfy(p -> assertThat(p.name()).contains("-" + p.pid() + "-"));
        for (ClusterFile.ServeProcess process : cluster.processes()) {
            String commandLine = ProcessHandle.of(process.pid()).orElseThrow().info().commandLine().orElseThrow();
            assertThat(commandLine).doesNotContain("lib/local").doesNotContain(cluster.adminToken());
        }

        List<OsProcess> family = up.toHandle().descendants().flatMap(UpIT::identity).toList();
        // Not Process.destroy, which also closes the streams.
        up.toHandle().destroy();
        assertThat(up.waitFor(STOP)).as("ended in time").isTrue();
        assertThat(up.exitValue()).isZero();
        assertThat(family.stream().filter(OsProcess::isAlive)).isEmpty();
        assertThat(Files.exists(dir.resolve("cluster.json"))).isFalse();
        eventually("its last word", STOP, () -> said.getLast().equals("stopped"));
        assertNoStackTrace();
    }

    @Test
    void up_whenItsOwnerIsKilled_leavesNoProcess() throws Exception {
        Process up = up("--port", "0", "--processes", "2", "--no-demo", "--dir", dir.toString());
        awaitLine(up, line -> line.startsWith("ready "));
        List<OsProcess> family = up.toHandle().descendants().flatMap(UpIT::identity).toList();
        up.destroyForcibly().waitFor();
        eventually("all are gone", STOP, () -> family.stream().noneMatch(OsProcess::isAlive));
    }

    @Test
    void up_onAPortInUse_saysSoInOneLineAndExits2() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Process up = up("--port", Integer.toString(taken.getLocalPort()), "--dir", dir.toString());
            assertThat(up.waitFor(START)).isTrue();
            assertThat(up.exitValue()).isEqualTo(2);
            try (BufferedReader err = up.errorReader()) {
                assertThat(err.lines().toList()).singleElement().asString()
                        .startsWith("bellwether up: cannot listen on port");
            }
        }
    }

    private Process up(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(
                List.of(Path.of("target/bellwether/bin/bellwether").toAbsolutePath().toString(), "up"));
        command.addAll(List.of(arguments));
        Process up = new ProcessBuilder(command).start();
        started.add(up);
        Thread.ofPlatform().daemon().start(() -> {
            try (BufferedReader out = up.inputReader()) {
                out.lines().forEach(said::add);
            } catch (IOException e) {
                said.add("output lost: " + e);
            }
        });
        return up;
    }

    private void awaitLine(Process up, Predicate<String> wanted) throws Exception {
        try {
            eventually("the line", START, () -> said.stream().anyMatch(wanted) || !up.isAlive());
        } catch (AssertionError e) {
            throw new AssertionError("it said only:\n" + String.join("\n", said), e);
        }
        assertThat(said).anyMatch(wanted);
    }

    /** What the request of a printed line is answered with, redirects followed. */
    private static int runs(String curl) throws Exception {
        Matcher parts = CURL.matcher(curl);
        assertThat(parts.matches()).as(curl).isTrue();
        try (HttpClient http = HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build()) {
            return http.send(HttpRequest.newBuilder(URI.create(parts.group(2))).header("Authorization", parts.group(1))
                    .timeout(Duration.ofSeconds(10)).build(), HttpResponse.BodyHandlers.discarding()).statusCode();
        }
    }

    private static Stream<OsProcess> identity(ProcessHandle process) {
        return OsProcess.of(process.pid()).stream();
    }

    private void assertNoStackTrace() throws IOException {
        try (Stream<Path> logs = Files.list(dir.resolve("logs"))) {
            for (Path log : logs.filter(l -> l.getFileName().toString().startsWith("process-")).toList()) {
                assertThat(Files.readString(log)).as(log.toString()).doesNotContain("\tat ");
            }
        }
    }
}
