package io.bellwether.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import io.bellwether.cluster.ClusterFile;

/** What a tick writes into the logs when nothing is wrong. */
class QuietLogIT {
    @Test
    void ticks_wonAndLost_areTwoLinesAtTheLeaderAndOneQuietLineElsewhere() throws Exception {
        FaultCluster cluster = FaultCluster.get();
        ClusterLogs logs = ClusterLogs.now(cluster);
        TickReport report;
        try (TestedSet set = TestedSet.published(cluster, "quiet")) {
            set.awaitPublished(4);
            report = set.assertSound();
        }
        // Overlapped: on a machine so busy that a run takes longer than its period.
        assertThat(report.states().keySet()).isSubsetOf("published", "overlapped");
        for (RunRow run : report.rows().stream().filter(RunRow::isPublished).toList()) {
            String head = "job=quiet tick=" + run.tick() + " ";
            List<String> won = new ArrayList<>();
            List<String> lost = new ArrayList<>();
            for (LogSince log : logs.processes()) {
                List<String> lines = log.lines(line -> line.contains(head));
                boolean leader = lines.stream().anyMatch(line -> line.contains("[" + run.process() + "]"));
                (leader ? won : lost).addAll(lines);
                assertThat(lines).as("%s by one process", head).hasSizeLessThanOrEqualTo(leader ? 2 : 1);
            }
            assertThat(won.get(0)).matches(".* INFO  .*" + Pattern.quote(head)
                    + "started attempt=1 kind=cron gate=redis fence=" + run.fence() + " lag=\\d+ms");
            assertThat(won.get(1)).matches(".* INFO  .*" + Pattern.quote(head) + "published revision="
                    + run.revision() + " upserts=\\d+ deletes=\\d+ unchanged=\\d+ in \\d+ ms");
            assertThat(lost).allMatch(line -> line.contains(" INFO ") && line.endsWith(
                    head + "not leader, skipped (leader is " + run.process() + ")"));
        }
        for (LogSince log : logs.processes()) {
            assertThat(log.lines(line -> line.contains("not leader, skipped"))).isNotEmpty();
        }
        logs.assertQuiet();
    }

    @Test
    void processes_onOneHost_haveNamesOfTheirOwn() throws Exception {
        List<ClusterFile.ServeProcess> processes = FaultCluster.get().cluster().describe().processes();
        assertThat(processes).extracting(ClusterFile.ServeProcess::name).doesNotHaveDuplicates().doesNotContain("");
        assertThat(processes).allMatch(process -> process.name().matches(".*-" + process.pid() + "-[0-9a-f]{8}"));
    }
}
