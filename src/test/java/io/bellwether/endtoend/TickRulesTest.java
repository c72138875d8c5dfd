package io.bellwether.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A judge that finds nothing proves nothing: each rule is broken here once. */
class TickRulesTest {
    private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration PERIOD = Duration.ofSeconds(2);

    private final List<RunRow> rows = new ArrayList<>();
    private long fence;
    private long revision;

    private void published(int second) {
        published(second, second + 0.1, second + 0.5);
    }

    private void published(int second, double claimed, double finished) {
        add(second, "published", 1, ++fence, claimed, finished, ++revision, "");
    }

    private void add(int second, String state, int attempt, @Nullable Long fence, double claimed, double finished,
            @Nullable Long revision, String reason) {
        boolean ran = fence != null;
        rows.add(new RunRow(rows.size() + 1L, "cron", t(second), state, attempt, ran ? "p" : null, fence,
                ran ? "redis" : null, ran ? t(claimed) : null, t(finished), revision, 1, t(second), reason));
    }

    private static Instant t(double seconds) {
        return T0.plusMillis((long) (seconds * 1000));
    }

    private List<String> broken() {
        return TickRules.broken(rows, PERIOD, Duration.ZERO, null);
    }

    @Test
    void goodRows_areGood() {
        published(0);
        published(2, 2.1, 4.2);
        add(4, "overlapped", 1, null, 0, 4.1, null, "due during a run");
        add(6, "abandoned", 1, ++fence, 6.1, 12, null, "p fell silent; its lease ended at " + t(10));
        add(6, "published", 2, ++fence, 12, 12.4, ++revision, "");
        rows.add(new RunRow(9, "cron", t(12), "missed", 1, null, null, null, null, t(13), null, 3, t(8), null));
        published(14);
        assertThat(broken()).isEmpty();
        TickReport report = new TickReport(rows, 0);
        assertThat(report.ticks()).isEqualTo(8);
        assertThat(report.takeOvers()).containsExactly(Duration.ofSeconds(2));
    }

    @Test
    void gap_isFound() {
        published(0);
        published(4);
        assertThat(broken()).singleElement().asString().contains("follows the tick " + t(0));
    }

    @Test
    void stretch_ofAnotherLengthThanItsCount_isFound() {
        rows.add(new RunRow(1, "cron", t(12), "missed", 1, null, null, null, null, t(13), null, 2, t(8), null));
        assertThat(broken()).singleElement().asString().contains("stands for 2 ticks");
    }

    @Test
    void tickPublishedTwice_isFound() {
        published(0);
        add(0, "published", 2, ++fence, 1, 1.2, ++revision, "");
        assertThat(broken()).anyMatch(c -> c.contains("more than once")).anyMatch(c -> c.contains("attempted again"));
    }

    @Test
    void missingAttempt_isFound() {
        add(0, "published", 2, ++fence, 1, 1.2, ++revision, "");
        assertThat(broken()).singleElement().asString().contains("comes as number 1");
    }

    @Test
    void openRun_isFound() {
        add(0, "running", 1, ++fence, 1, 1.2, null, "");
        assertThat(broken()).singleElement().asString().contains("left open");
    }

    @Test
    void lateTakeOver_isFound() {
        add(0, "fenced", 1, ++fence, 0.1, 9.5, null, "p fell silent; its lease ended at " + t(4) + "; came back");
        add(0, "published", 2, ++fence, 9.5, 10, ++revision, "");
        assertThat(broken()).singleElement().asString().contains("PT5.5S after the end of its lease");
    }

    @Test
    void lateTakeOver_isForgivenWhileNoProcessWasUpLongEnough() {
        add(0, "abandoned", 1, ++fence, 0.1, 19, null, "p fell silent; its lease ended at " + t(4));
        add(0, "published", 2, ++fence, 19, 20, ++revision, "");
        List<Lives.Life> tooShort = List.of(new Lives.Life(t(0), t(8)), new Lives.Life(t(15), t(30)));
        assertThat(TickRules.broken(rows, PERIOD, Duration.ZERO, tooShort)).isEmpty();
        List<Lives.Life> longEnough = List.of(new Lives.Life(t(0), t(10)));
        assertThat(TickRules.broken(rows, PERIOD, Duration.ZERO, longEnough)).singleElement().asString()
                .contains("PT15S after");
    }

    @Test
    void earlyClaim_isFound() {
        published(2, 1.9, 2.5);
        assertThat(broken()).singleElement().asString().contains("before it was due");
    }

    @Test
    void fenceThatDoesNotRise_isFound() {
        published(0);
        fence = 0;
        published(2);
        assertThat(broken()).singleElement().asString().contains("has the fence 1 after 1");
    }

    @Test
    void skippedRevision_isFound() {
        published(0);
        revision++;
        published(2);
        assertThat(broken()).singleElement().asString().contains("published revision 3 and not 2");
    }

    @Test
    void overlappingRuns_areFound() {
        published(0, 0.1, 2.5);
        published(2, 2.1, 2.6);
        assertThat(broken()).singleElement().asString().contains("began at");
    }

    @Test
    void overlappedByNothing_isFound() {
        published(0);
        add(2, "overlapped", 1, null, 0, 2.1, null, "due during a run");
        assertThat(broken()).singleElement().asString().contains("overlapped by no run");
    }
}
