package io.bellwether.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The small parts of the cluster, each by itself. */
class ClusterPiecesTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    @Test
    void port_ofTheLastStart_isChosenAgainUnlessItIsTaken() throws Exception {
        Path file = dir.resolve("ports");
        int first = new Ports(file).choose("a", 17301);
        assertThat(new Ports(file).choose("a", 17301)).isEqualTo(first);
        try (ServerSocket _ = new ServerSocket(first, 1, InetAddress.getLoopbackAddress())) {
            assertThat(new Ports(file).choose("a", 17301)).isNotEqualTo(first);
        }
    }

    @Test
    void port_givenToOnePart_isNotGivenToAnother() throws Exception {
        Ports ports = new Ports(dir.resolve("ports"));
        assertThat(ports.choose("a", 17351)).isNotEqualTo(ports.choose("b", 17351));
    }

    @Test
    void secret_onceMade_staysAndIsForTheUserAlone() throws Exception {
        String made = new Secrets(dir).get("x");
        assertThat(made).matches("[0-9a-f]{40}");
        assertThat(new Secrets(dir).get("x")).isEqualTo(made);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(dir.resolve("x"))))
                .isEqualTo("rw-------");
    }

    @Test
    void log_overItsLimit_movesAsideOnce() throws Exception {
        Path file = dir.resolve("x.log");
        try (BoundedLog log = new BoundedLog(file)) {
            String line = "x".repeat(1 << 20);
            for (int i = 0; i < 20; i++) {
                log.append(line);
            }
            assertThat(log.lastLines()).hasSize(20);
        }
        try (var files = Files.list(dir)) {
            assertThat(files.map(f -> f.getFileName().toString())).containsExactlyInAnyOrder("x.log", "x.log.1");
        }
        assertThat(Files.size(file) + Files.size(dir.resolve("x.log.1"))).isLessThan(18L << 20);
    }

    @Test
    void log_thatCannotBeWritten_isGivenUpQuietly() {
        try (BoundedLog log = new BoundedLog(dir.resolve("missing/x.log"))) {
            log.append("a line");
            assertThat(log.lastLines()).containsExactly("a line");
        }
    }

    @Test
    void process_thatEnded_isNotTakenForALaterOne() throws Exception {
        OsProcess self = OsProcess.of(ProcessHandle.current().pid()).orElseThrow();
        assertThat(self.isAlive()).isTrue();
        assertThat(new OsProcess(self.pid(), self.startTicks() - 1).isAlive()).isFalse();
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        assertThat(OsProcess.of(gone.pid())).isEmpty();
    }

    @Test
    void leftovers_ofAPidThatBelongsToAnotherNow_areSpared() throws Exception {
        Process other = new ProcessBuilder("sleep", "60").start();
        try {
            OsProcess is = OsProcess.of(other.pid()).orElseThrow();
            Path file = dir.resolve("pids");
            new PidFile(file).put("postgres", "TERM", new OsProcess(is.pid(), is.startTicks() - 1));
            assertThat(PidFile.endLeftovers(file, Duration.ofSeconds(1))).isEmpty();
            assertThat(other.isAlive()).isTrue();
            new PidFile(file).put("postgres", "TERM", is);
            assertThat(PidFile.endLeftovers(file, Duration.ofSeconds(5))).containsExactly("postgres");
            assertThat(other.waitFor(Duration.ofSeconds(5))).isTrue();
        } finally {
            other.destroyForcibly();
        }
    }

    @Test
    void leftover_thatIsStopped_isEndedToo() throws Exception {
        Process stopped = new ProcessBuilder("sleep", "60").start();
        OsProcess process = OsProcess.of(stopped.pid()).orElseThrow();
        process.signal("STOP");
        Path file = dir.resolve("pids");
        new PidFile(file).put("process-1", "TERM", process);
        assertThat(PidFile.endLeftovers(file, Duration.ofSeconds(5))).containsExactly("process-1");
        assertThat(stopped.waitFor(Duration.ofSeconds(5))).isTrue();
    }

    @Test
    void nginxConfig_rendered_hasFixedPortsThatAreNeverMarkedDown() throws Exception {
        String template = new String(ClusterDir.resource("/nginx/local.conf.template"), StandardCharsets.UTF_8);
        String text = NginxServer.render(template, 18080, List.of(7001, 7002), false, null);
        assertThat(text).contains("listen 127.0.0.1:18080;", "server 127.0.0.1:7001 max_fails=0;",
                "server 127.0.0.1:7002 max_fails=0;").doesNotContain("@port@", "@servers@", "@user@", "user ");
        assertThat(NginxServer.render(template, 1, List.of(1), true, null)).contains("user root root;");
    }

    @Test
    void nginx_thatIsNone_isRefusedByName() {
        assertThatThrownBy(() -> new NginxProgram(dir, _ -> {}).find(Path.of("/bin/true")))
                .isInstanceOf(ClusterException.class).hasMessageContaining("--nginx /bin/true");
    }

    @Test
    void options_outOfRange_areRefused() {
        ClusterOptions options = ClusterOptions.of(dir, dir);
        assertThatThrownBy(() -> options.withProcesses(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> options.withProcesses(65)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> options.withPort(65_536)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void environment_ofAProcess_replacesThePlaceAndKeepsTheRest() throws Exception {
        ClusterOptions options = new ClusterOptions(1, 0, dir, false, null, null, List.of("x"),
                Map.of("BELLWETHER_TOKEN", "t", "BELLWETHER_REDIS_CONFIG", "/elsewhere", "BELLWETHER_LEASE", "PT5S",
                        "BELLWETHER_JVM_OPTS", "-Xmx1g", "PATH", "/bin"),
                Map.of(1, Map.of("BELLWETHER_CLOCK_OFFSET", "PT-7S")));
        ClusterDir place = new ClusterDir(dir);
        place.create();
        Secrets secrets = new Secrets(place.secrets());
        Map<String, String> env = ServeEnvironment.of(options, 1, 7001, place,
                new PostgresServer(place, dir, secrets, 15432, 1), new RedisServer(place, dir, secrets, 16379),
                "admin");
        assertThat(env).containsEntry("BELLWETHER_PORT", "7001").containsEntry("BELLWETHER_LEASE", "PT5S")
                .containsEntry("BELLWETHER_CLOCK_OFFSET", "PT-7S").containsEntry("PATH", "/bin")
                .containsEntry("BELLWETHER_DATABASE_URL", "jdbc:postgresql://127.0.0.1:15432/bellwether")
                .doesNotContainKeys("BELLWETHER_TOKEN", "BELLWETHER_REDIS_CONFIG");
        assertThat(env.get("BELLWETHER_JVM_OPTS")).as("what a person sets comes last and wins").endsWith(" -Xmx1g");
    }

    @Test
    void stateFolder_byTheEnvironment_followsXdg() {
        assertThat(UserFolders.state(Map.of("XDG_STATE_HOME", "/s"))).isEqualTo(Path.of("/s/bellwether"));
        assertThat(UserFolders.state(Map.of("XDG_STATE_HOME", "relative", "HOME", "/home/x")))
                .isEqualTo(Path.of("/home/x/.local/state/bellwether"));
        assertThat(UserFolders.state(Map.of()).toString()).endsWith("/.local/state/bellwether");
    }
}
