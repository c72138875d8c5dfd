package io.bellwether.cluster;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is left when the JVM that owns a cluster is killed, and what the next start makes of it. */
class OwnerKilledTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    /** Owns a cluster in another JVM until it is killed. */
    public static void main(String[] args) throws Exception {
        LocalCluster.start(LocalClusterTest.options(Path.of(args[0])), System.out::println);
        new CountDownLatch(1).await();
    }

    @Test
    void owner_killed_leavesNoProcessWithinSeconds() throws Exception {
        Process owner = startOwner();
        List<OsProcess> all = family(owner);
        owner.destroyForcibly().waitFor();
        eventually("all are gone", LIMIT, () -> all.stream().noneMatch(OsProcess::isAlive));
    }

    @Test
    void start_afterOwnerAndGuardianWereKilled_endsWhatTheyLeftAndKeepsDataPortsAndTokens() throws Exception {
        Process owner = startOwner();
        ClusterFile before = ClusterFile.read(dir.resolve("cluster.json"));
        List<OsProcess> all = family(owner);
        owner.toHandle().children()
                .filter(child -> child.info().commandLine().orElse("").contains("bellwether-guardian"))
                .forEach(ProcessHandle::destroyForcibly);
        owner.destroyForcibly().waitFor();
        assertThat(OsProcess.of(before.postgres().pid())).as("PostgreSQL outlives both").isPresent();

        List<String> said = new ArrayList<>();
        try (LocalCluster again = LocalCluster.start(LocalClusterTest.options(dir), said::add)) {
            assertThat(all).noneMatch(OsProcess::isAlive);
            assertThat(said).anySatisfy(line -> assertThat(line).contains("left running").contains("postgres"));
            ClusterFile now = again.describe();
            assertThat(now.adminToken()).isEqualTo(before.adminToken());
            assertThat(now.postgres().password()).isEqualTo(before.postgres().password());
            assertThat(now.postgres().port()).isEqualTo(before.postgres().port());
            assertThat(now.processes().stream().map(ClusterFile.ServeProcess::port))
                    .isEqualTo(before.processes().stream().map(ClusterFile.ServeProcess::port).toList());
        }
    }

    @Test
    void close_always_leavesNoProcess() throws Exception {
        List<OsProcess> all;
        try (LocalCluster cluster = LocalCluster.start(LocalClusterTest.options(dir), _ -> {})) {
            all = ProcessHandle.current().descendants().flatMap(OwnerKilledTest::stream).toList();
            ClusterFile now = cluster.describe();
            assertThat(all).extracting(OsProcess::pid).contains(now.nginx().pid(), now.postgres().pid(),
                    now.redis().pid(), now.processes().getFirst().pid());
        }
        assertThat(all.stream().filter(OsProcess::isAlive)).isEmpty();
        assertThat(Files.exists(dir.resolve("cluster.json"))).isFalse();
    }

    private Process startOwner() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin/java").toString();
        Process owner = new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"),
                OwnerKilledTest.class.getName(), dir.toString()).redirectOutput(dir.resolve("owner.out").toFile())
                .redirectErrorStream(true).start();
        eventually("the owner is ready", LIMIT,
                () -> !owner.isAlive() || Files.exists(dir.resolve("cluster.json")));
        assertThat(owner.isAlive()).as(Files.readString(dir.resolve("owner.out"))).isTrue();
        return owner;
    }

    private static List<OsProcess> family(Process owner) {
        List<OsProcess> all = owner.toHandle().descendants().flatMap(OwnerKilledTest::stream).toList();
        assertThat(all).hasSizeGreaterThan(8);
        return all;
    }

    private static Stream<OsProcess> stream(ProcessHandle process) {
        return OsProcess.of(process.pid()).stream();
    }
}
