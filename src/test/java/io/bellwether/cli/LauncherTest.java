package io.bellwether.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The start script, with a Java that only says what it was asked for. */
class LauncherTest {
    private static final Path SCRIPT = Path.of("src/main/bin/bellwether").toAbsolutePath();
    private static final String SHORT_PAUSES = "-XX:MaxGCPauseMillis=";

    @TempDir
    private Path java;

    @BeforeEach
    void makeJava() throws IOException {
        Files.writeString(java.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n");
        Path program = Files.createDirectories(java.resolve("bin")).resolve("java");
        Files.writeString(program, "#!/bin/sh\necho \"$@\"\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
    }

    @Test
    void serve_withoutACollectorNamed_getsG1WithShortPausesAheadOfOwnOptions() throws Exception {
        assertThat(run("serve", "-Xmx1g")).contains("-XX:+UseG1GC").containsSubsequence(SHORT_PAUSES, "-Xmx1g")
                .endsWith("io.bellwether.cli.Main serve");
        assertThat(run("serve", "")).contains("-XX:+UseG1GC");
    }

    @Test
    void serve_withACollectorNamed_getsThatAlone() throws Exception {
        assertThat(run("serve", "-Xmx1g -XX:+UseSerialGC")).contains("-XX:+UseSerialGC").doesNotContain("G1",
                SHORT_PAUSES);
        assertThat(run("serve", "-XX:+UseShenandoahGC -Xmx1g")).doesNotContain("G1", SHORT_PAUSES);
    }

    @Test
    void otherCommands_getNoneOfTheServersOptions() throws Exception {
        assertThat(run("runs", "-Xmx77m")).contains("-XX:+UseSerialGC").doesNotContain("-Xmx77m", "G1");
    }

    private String run(String command, String options) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(SCRIPT.toString(), command).redirectErrorStream(true);
        builder.environment().putAll(Map.of("JAVA_HOME", java.toString(), "BELLWETHER_JVM_OPTS", options));
        Process process = builder.start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(said).isZero();
        return said;
    }
}
