package io.bellwether.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

import io.bellwether.policy.Sha256;

/**
 * Judges a job by all of its rows and by what readers get: {@link TickRules}, and each revision equal to a feed that the
 * upstream served during the run that published it. To be asked when nothing runs any more and nothing will.
 */
final class TickOracle {
    /** The processes share the machine's few cores with all else that a test does, so a look may come late. */
    private static final Duration SLACK = Duration.ofSeconds(2);
    private static final int PAGE = 1000;

    private final Api api;
    private final String job;
    private final Duration period;
    private @Nullable Duration slack = SLACK;
    private @Nullable List<Lives.Life> lives;
    private @Nullable TestUpstream upstream;
    private int newest;
    private final Map<Long, String> digests = new HashMap<>();

    TickOracle(Api api, String job, Duration period) {
        this.api = api;
        this.job = job;
        this.period = period;
    }

    /** Allows take-overs at any time: the database was away. */
    TickOracle withTakeOversAtAnyTime() {
        slack = null;
        return this;
    }

    /** Expects take-overs of processes alone that were up. */
    TickOracle withProcessesUp(List<Lives.Life> when) {
        lives = when;
        return this;
    }

    /** Compares the newest revisions with what that upstream served, too. */
    TickOracle withContents(TestUpstream from, int howMany) {
        upstream = from;
        newest = howMany;
        return this;
    }

    /** All rows of the job, the oldest first. */
    List<RunRow> rows() throws Exception {
        List<RunRow> rows = new ArrayList<>();
        String before = "";
        while (true) {
            JsonNode page = api.json("/v1/admin/jobs/" + job + "/runs?limit=" + PAGE + before).path("runs");
            page.forEach(row -> rows.add(RunRow.of(row)));
            if (page.size() < PAGE) {
                rows.sort(Comparator.comparingLong(RunRow::id));
                return rows;
            }
            before = "&before=" + rows.getLast().id();
        }
    }

    /** Fails with all that is wrong, or tells what there was. */
    TickReport verify() throws Exception {
        List<RunRow> rows = rows();
        List<String> wrong = new ArrayList<>(TickRules.broken(rows, period, slack, lives));
        TickReport report = new TickReport(rows, contents(rows, wrong));
        assertThat(wrong).as("%s", report).isEmpty();
        return report;
    }

    /** Returns how many revisions were compared. */
    private int contents(List<RunRow> rows, List<String> wrong) throws Exception {
        TestUpstream from = upstream;
        if (from == null) {
            return 0;
        }
        List<RunRow> done = rows.stream().filter(RunRow::isDone).sorted(Comparator.comparing(RunRow::claimed))
                .toList();
        String head = null;
        int compared = 0;
        long oldest = done.stream().filter(RunRow::isPublished).count() - newest;
        for (RunRow row : done) {
            if (row.isPublished()) {
                long revision = Objects.requireNonNull(row.revision());
                if (revision <= oldest) {
                    continue;
                }
                String before = head;
                head = digest(api.verifiedLines(job, revision));
                compared++;
                if (head.equals(before)) {
                    wrong.add("revision " + revision + " is the same as the one before");
                }
            }
            if (head != null && !served(from, row).contains(head)) {
                wrong.add("revision " + row.revision() + " (" + row.state() + ", run " + row.id()
                        + ") is none of the feeds " + numbers(from, row) + " served meanwhile");
            }
        }
        return compared;
    }

    private static List<Long> numbers(TestUpstream from, RunRow row) {
        return from.servedBetween(row.claimed(), row.finished());
    }

    private Set<String> served(TestUpstream from, RunRow row) {
        return Set.copyOf(numbers(from, row).stream()
                .map(number -> digests.computeIfAbsent(number, n -> digest(from.feeds().lines(n)))).toList());
    }

    private static String digest(List<String> lines) {
        return Sha256.of(String.join("\n", lines.stream().sorted().toList())
                .getBytes(java.nio.charset.StandardCharsets.UTF_8)).hex();
    }
}
