package io.bellwether.refresh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.bellwether.lease.RunResult;
import io.bellwether.testing.TestLease;
import io.bellwether.testing.TestSets;

/**
 * PostgreSQL's disk is full. A small file system needs a privilege to mount, so the server gets a limit on the size of
 * its files instead (prlimit, RLIMIT_FSIZE): extending a table fails in the same place with the same error but for its
 * cause, "File too large". Back ends that start under the limit have it; log, checkpoints and pools do not.
 */
class DiskFullTest {
    /** Above a file of PostgreSQL's log, which has 16 MiB. */
    private static final long LIMIT_BYTES = 20 << 20;
    private static final String FULL = "File too large";

    @TempDir
    private Path folder;
    private Bench bench;
    private TestSets.Inserted set;
    private long postmaster;

    @BeforeEach
    void open() throws Exception {
        bench = new Bench(folder);
        set = bench.set("demo");
        postmaster = ProcessHandle.of(bench.number("select pg_backend_pid()")).orElseThrow().parent().orElseThrow()
                .pid();
    }

    @AfterEach
    void close() throws Exception {
        limit("unlimited");
        bench.close();
    }

    @Test
    void perform_noRoomToStage_failsAndLeavesNothing() throws Exception {
        Map<String, String> content = policies(0, 28_000);
        bench.feed("demo", content);
        List<String> phases = runOnAFullDisk();
        assertThat(phases).endsWith("diff");
        assertThat(bench.number("select revision from policy_set")).isZero();
        assertThat(bench.number("select count(*) from policy")).isZero();
        assertThat(bench.number("select count(*) from segment")).isZero();
        limit("unlimited");
        assertThat(nextRun()).isEqualTo(RunResult.published(1, 28_000, 0, 0));
    }

    @Test
    void perform_noRoomToMerge_failsAndLeavesTheHeadAsItWas() throws Exception {
        Map<String, String> content = policies(0, 14_000);
        bench.feed("demo", content);
        bench.run(set);
        long segments = bench.number("select count(*) from segment");
        content.putAll(policies(14_000, 22_000));
        bench.feed("demo", content);
        List<String> phases = runOnAFullDisk();
        assertThat(phases).endsWith("publish");
        assertThat(bench.number("select revision from policy_set")).isEqualTo(1);
        assertThat(bench.number("select count(*) from policy")).isEqualTo(14_000);
        assertThat(bench.head(set)).isEqualTo(bench.rows(set)).hasSize(14_000);
        // Segments had been built. What nobody names goes in time, and no reader ever saw it.
        assertThat(bench.number("select count(*) from segment")).isGreaterThan(segments);
        limit("unlimited");
        bench.execute("update segment set touched_at = clock_timestamp() - interval '2 hours'");
        bench.execute("insert into job (name, kind, schedule) values ('retention', 'retention', '0 0 * * * *')");
        new RetentionWork(bench.database).perform(TestLease.claim(bench.database,
                bench.number("select job_id from job where kind = 'retention'")));
        assertThat(bench.number("select count(*) from segment")).isEqualTo(segments);
        assertThat(nextRun()).isEqualTo(RunResult.published(2, 8_000, 0, 14_000));
    }

    /** A run under the limit; the phases it came to. */
    private List<String> runOnAFullDisk() throws Exception {
        limit(Long.toString(LIMIT_BYTES));
        TestLease lease = TestLease.claim(bench.database, set.jobId());
        List<String> phases = new ArrayList<>();
        lease.onProgress(phases::add);
        assertThatThrownBy(() -> bench.run(lease)).isInstanceOf(SQLException.class).hasMessageContaining(FULL);
        assertThat(lease.state()).isEqualTo("failed");
        assertThat(bench.number("select count(*) from run where state = 'failed' and reason like '%" + FULL + "%'"))
                .isEqualTo(1);
        bench.awaitNoBackend();
        assertThat(bench.number("select count(*) from pg_class where relname in ('staged', 'vanished')")).isZero();
        return phases;
    }

    /** By another process, whose pool has no connections of the time of the limit. */
    private RunResult nextRun() throws Exception {
        Bench other = new Bench(folder, bench.settings);
        try {
            return other.run(set);
        } finally {
            other.close();
        }
    }

    private void limit(String bytes) throws Exception {
        Process process = new ProcessBuilder("prlimit", "--pid", Long.toString(postmaster), "--fsize=" + bytes + ":")
                .inheritIO().start();
        assertThat(process.waitFor()).as("prlimit").isZero();
    }

    /** About a kilobyte each, which does not get smaller. */
    private static Map<String, String> policies(int from, int to) {
        Random random = new Random(from);
        byte[] bytes = new byte[500];
        Map<String, String> policies = new TreeMap<>();
        for (int i = from; i < to; i++) {
            random.nextBytes(bytes);
            policies.put("k" + i, "\"" + HexFormat.of().formatHex(bytes) + "\"");
        }
        return policies;
    }
}
