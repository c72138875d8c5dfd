package io.bellwether.refresh;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.bellwether.lease.RunResult;
import io.bellwether.policy.SetDefinition.DuplicateKeys;
import io.bellwether.policy.SetDefinition.Guard;
import io.bellwether.testing.TestLease;
import io.bellwether.testing.TestSets;

class IndexFilesTest {
    @TempDir
    private Path folder;
    private Bench bench;
    private TestSets.Inserted set;
    private final Random random = new Random(3);

    @BeforeEach
    void open() throws Exception {
        bench = new Bench(folder);
        set = bench.set("demo", new Guard(1, true, DuplicateKeys.LAST));
    }

    @AfterEach
    void close() throws Exception {
        bench.close();
    }

    @Test
    void refresh_whereTheLastOneWas_doesNotReadTheTable() throws Exception {
        publish(Map.of("a", "1", "b", "1", "c", "1"));
        // Whoever reads the table sees other bodies now, and would publish.
        bench.execute("update policy set body_sha256 = sha256('x')");
        touch();
        assertThat(bench.run(set)).isEqualTo(RunResult.unchanged(3, null));
        bench.feed("demo", Map.of("a", "2", "b", "1"));
        assertThat(bench.run(set)).isEqualTo(RunResult.published(2, 1, 1, 1));
        assertThat(bench.delta(set, 2)).containsExactly(Map.entry("a", "2"), Map.entry("c", Bench.DELETED));
        touch();
        assertThat(bench.run(set)).isEqualTo(RunResult.unchanged(2, null));
        Files.delete(file());
        touch();
        assertThat(bench.run(set)).isEqualTo(RunResult.published(3, 1, 0, 1));
    }

    @Test
    void refresh_whereTheLastOneWasNot_readsTheTableAndKeepsAFile() throws Exception {
        publish(Map.of("a", "1", "b", "1"));
        byte[] behind = Files.readAllBytes(file());
        publish(Map.of("a", "2", "b", "1"));
        byte[] ahead = Files.readAllBytes(file());
        assertThat(Arrays.copyOf(ahead, behind.length)).isEqualTo(behind);
        // Another host published revision 2.
        Files.write(file(), behind);
        publish(Map.of("a", "2", "b", "3"));
        assertThat(bench.delta(set, 3)).containsExactly(Map.entry("b", "3"));
        // And no host knows what is in the way here.
        for (Path other : new Path[]{file(), file().getParent()}) {
            Files.delete(file());
            if (!other.equals(file())) {
                Files.delete(other);
                Files.writeString(other, "in the way");
            } else {
                Files.createDirectory(other);
            }
            publish(Map.of("a", "" + random.nextInt(), "b", "3"));
            Files.delete(other);
            publish(Map.of("a", "" + random.nextInt(), "b", "3"));
            assertThat(file()).isRegularFile();
        }
    }

    @Test
    void refresh_aFileThatIsTornOrDamagedAnywhere_isNotBelieved() throws Exception {
        Map<String, String> state = new HashMap<>(Map.of("a", "1", "b", "1", "c", "1", "d", "1"));
        publish(state);
        state.put("a", "2");
        state.remove("d");
        publish(state);
        byte[] good = Files.readAllBytes(file());
        for (int i = 0; i < good.length; i += 23) {
            byte[] bad = random.nextBoolean() ? Arrays.copyOf(good, i) : good.clone();
            if (bad.length == good.length) {
                bad[i] ^= (byte) (1 + random.nextInt(255));
            }
            Files.write(file(), bad);
            touch();
            assertThat(bench.run(set)).as("byte %d", i).isEqualTo(RunResult.unchanged(3, null));
            Files.write(file(), bad);
            state.put("b", "" + i);
            publish(state);
            assertThat(bench.rows(set)).isEqualTo(new TreeMap<>(state));
            Files.write(file(), good);
            publish(Map.of("a", "2", "b", "1", "c", "1"));
            Files.write(file(), good);
        }
    }

    @Test
    void refresh_manyStatesOfLongAndShortKeys_followsTheChainAndKeepsItShort() throws Exception {
        TreeMap<String, String> state = new TreeMap<>(Bench.BY_BYTES);
        for (int i = 0; i < 6000; i++) {
            state.put("x".repeat(random.nextInt(500)) + i, "1");
        }
        publish(state);
        long whole = Files.size(file());
        long largest = 0;
        for (int round = 0; round < 12; round++) {
            for (int i = 0; i < 1500; i++) {
                String key = random.nextInt(4) == 0
                        ? "y".repeat(random.nextInt(500)) + random.nextInt()
                        : state.ceilingKey("x".repeat(random.nextInt(500)));
                if (key == null || random.nextInt(5) == 0 && state.remove(key) != null) {
                    continue;
                }
                state.put(key, "" + random.nextInt());
            }
            // What the table says is not asked for.
            bench.execute("update policy set body_sha256 = sha256('x')");
            publish(state);
            bench.execute("update policy set body_sha256 = sha256(body)");
            assertThat(bench.rows(set)).isEqualTo(state);
            assertThat(bench.head(set)).isEqualTo(state);
            largest = Math.max(largest, Files.size(file()));
        }
        assertThat(largest).isBetween(whole + 1, 3 * whole + (2 << 20));
        try (Stream<Path> files = Files.list(file().getParent())) {
            assertThat(files).containsExactly(file());
        }
    }

    @Test
    void refresh_repeatedKeysAndRollbacks_areFollowed() throws Exception {
        publish(Map.of("a", "1", "b", "1"));
        bench.feed("demo", Bench.line("a", "2") + Bench.line("b", "2") + Bench.line("b", "1") + Bench.line("a", "3"));
        assertThat(bench.run(set)).isEqualTo(RunResult.published(2, 1, 0, 1));
        bench.execute("update policy set body_sha256 = sha256('x')");
        bench.feed("demo", Map.of("a", "3", "b", "1"));
        assertThat(bench.run(set)).isEqualTo(RunResult.unchanged(2, null));
        bench.execute("update policy set body_sha256 = sha256(body)");
        // Revision 1 is on the chain, before its end.
        assertThat(bench.run(TestLease.claim(bench.database, set.jobId()).asking("{\"rollback\":1}")).revision())
                .isEqualTo(3);
        bench.execute("update policy set body_sha256 = sha256('x')");
        bench.feed("demo", Map.of("a", "1", "c", "1"));
        assertThat(bench.run(set)).isEqualTo(RunResult.published(4, 1, 1, 1));
        touch();
        assertThat(bench.run(set)).isEqualTo(RunResult.unchanged(2, null));
    }

    @Test
    void refresh_thatIsRefused_leavesTheFileAsItWas() throws Exception {
        publish(Map.of("a", "1", "b", "1"));
        byte[] before = Files.readAllBytes(file());
        bench.feed("demo", "[{\"key\":\"a\",\"body\":2},");
        assertThat(bench.run(set).state()).isEqualTo(RunResult.State.REFUSED);
        assertThat(Files.readAllBytes(file())).isEqualTo(before);
        try (Stream<Path> files = Files.list(file().getParent())) {
            assertThat(files).containsExactly(file());
        }
    }

    private Path file() {
        return folder.resolve("data/index/demo");
    }

    private void publish(Map<String, String> policies) throws Exception {
        bench.feed("demo", policies);
        assertThat(bench.run(set).state()).isEqualTo(RunResult.State.PUBLISHED);
    }

    /** The same feed, that the source does not know to be the same. */
    private void touch() throws IOException {
        Path copy = folder.resolve("copy");
        Files.copy(bench.file("demo"), copy);
        Files.move(copy, bench.file("demo"), StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }
}
