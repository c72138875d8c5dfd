package io.bellwether.refresh;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedWriter;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.bellwether.lease.RunResult;
import io.bellwether.policy.Limits;
import io.bellwether.policy.Sha256;
import io.bellwether.testing.TestSets;

/** Processes that refresh and come to grief: killed in mid-merge, short of memory. */
class RefreshProcessTest {
    private static final int LARGE = 8;
    private static final int SMALL = 1_000;

    @TempDir
    private Path folder;
    private Bench bench;
    private TestSets.Inserted set;

    @BeforeEach
    void publishOnce() throws Exception {
        bench = new Bench(folder);
        set = bench.set("demo");
        bench.feed("demo", Map.of("a", "1"));
        bench.run(set);
    }

    @AfterEach
    void close() throws Exception {
        bench.close();
    }

    @Test
    void process_killedWhileItMerges_leavesNothingAndTheNextRunWorks() throws Exception {
        bench.feed("demo", Map.of("a", "2", "b", "2"));
        try (Connection blocker = bench.database.dedicatedConnection("blocker");
                Statement statement = blocker.createStatement()) {
            statement.execute("begin; lock table policy in share mode");
            Process process = RefreshProcess.start(bench, set.jobId());
            eventually("the merge waits", Duration.ofSeconds(60), () -> bench.number("""
                    select count(*) from pg_stat_activity where wait_event_type = 'Lock'
                        and application_name = 'bellwether-refresh' and datname = current_database()
                        and query like 'insert into policy %'""") == 1);
            process.destroyForcibly().waitFor();
            // Its back end goes although the lock that it waits for is not free.
            bench.awaitNoBackend();
            statement.execute("rollback");
        }
        assertThat(bench.number("select count(*) from run where state = 'running'")).isEqualTo(1);
        nothingWasPublished();
        assertThat(bench.number("select count(*) from segment s where not exists"
                + " (select from manifest_entry m where m.sha256 = s.sha256)")).isPositive();
        bench.execute("update run set state = 'abandoned', lease_until = null, finished_at = clock_timestamp()"
                + " where state = 'running'");
        assertThat(bench.run(set)).isEqualTo(RunResult.published(2, 2, 0, 0));
        assertThat(bench.head(set)).isEqualTo(bench.rows(set)).isEqualTo(Map.of("a", "2", "b", "2"));
    }

    @Test
    void process_with256MegabytesAndBodiesNearTheLimit_publishesThem() throws Exception {
        writeLarge();
        assertThat(RefreshProcess.outcome(RefreshProcess.start(bench, set.jobId(), "-Xmx256m")))
                .isEqualTo("published 2");
        largeIsPublished();
    }

    @Test
    void process_whoseHeapIsTooSmall_publishesNothingAndSaysSo() throws Exception {
        writeLarge();
        assertThat(RefreshProcess.outcome(RefreshProcess.start(bench, set.jobId(), "-Xmx48m"))).startsWith("threw ")
                .contains("OutOfMemoryError");
        bench.awaitNoBackend();
        nothingWasPublished();
        assertThat(bench.number("select count(*) from run where state = 'failed' and reason like '%OutOfMemory%'"))
                .isEqualTo(1);
        bench.feed("demo", Map.of("a", "2"));
        assertThat(RefreshProcess.outcome(RefreshProcess.start(bench, set.jobId(), "-Xmx48m")))
                .isEqualTo("published 2");
        assertThat(bench.head(set)).isEqualTo(bench.rows(set)).isEqualTo(Map.of("a", "2"));
    }

    private void nothingWasPublished() throws Exception {
        assertThat(bench.number("select revision from policy_set")).isEqualTo(1);
        assertThat(bench.head(set)).isEqualTo(bench.rows(set)).isEqualTo(Map.of("a", "1"));
        assertThat(bench.number("select count(*) from pg_class where relname in ('staged', 'vanished')")).isZero();
        assertThat(bench.number("select count(*) from manifest_entry")).isEqualTo(1);
    }

    private void largeIsPublished() throws Exception {
        assertThat(bench.number("select count(*) from policy")).isEqualTo(LARGE + SMALL + 1);
        assertThat(bench.number("select count(*) from policy where octet_length(body) = " + Limits.MAX_BODY_BYTES))
                .isEqualTo(LARGE);
        assertThat(bench.number("select count(*) from policy where body_sha256 = decode('" + largeBodySha256()
                + "', 'hex')")).isEqualTo(LARGE);
        assertThat(bench.number("select sum(policies) from manifest_entry where removed_in is null"))
                .isEqualTo(LARGE + SMALL + 1);
        assertThat(bench.number("select max(raw_bytes) from manifest_entry where removed_in is null"))
                .isGreaterThan(Limits.MAX_BODY_BYTES);
    }

    private static Sha256 largeBodySha256() {
        MessageDigest digest = Sha256.newDigest();
        digest.update((byte) '"');
        byte[] piece = new byte[1 << 20];
        Arrays.fill(piece, (byte) 'x');
        for (int left = Limits.MAX_BODY_BYTES - 2; left > 0; left -= Math.min(left, piece.length)) {
            digest.update(piece, 0, Math.min(left, piece.length));
        }
        digest.update((byte) '"');
        return Sha256.wrap(digest.digest());
    }

    /** Bodies of the most that is allowed, among small ones; written in pieces, as the test has little memory too. */
    private void writeLarge() throws Exception {
        Path part = folder.resolve("part");
        String piece = "x".repeat(1 << 20);
        try (Writer out = new BufferedWriter(
                new OutputStreamWriter(Files.newOutputStream(part), StandardCharsets.UTF_8))) {
            out.write(Bench.line("a", "1"));
            for (int i = 0; i < SMALL; i++) {
                out.write(Bench.line("small-" + i, "{\"n\":" + i + "}"));
                if (i % (SMALL / LARGE) == 0 && i / (SMALL / LARGE) < LARGE) {
                    out.write("{\"key\":\"large-" + i + "\",\"body\":\"");
                    for (int left = Limits.MAX_BODY_BYTES - 2; left > 0; left -= Math.min(left, piece.length())) {
                        out.write(piece, 0, Math.min(left, piece.length()));
                    }
                    out.write("\"}\n");
                }
            }
        }
        Files.move(part, bench.file("demo"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }
}
