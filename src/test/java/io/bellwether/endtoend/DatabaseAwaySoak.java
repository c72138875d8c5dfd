package io.bellwether.endtoend;

import static io.bellwether.endtoend.FaultCluster.PROCESSES;
import static io.bellwether.endtoend.TestedSet.PERIOD;
import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.bellwether.testing.TestProxy;

/**
 * The database away for everybody in the middle of a run, for half a minute and for two: refusing, or silent. The
 * processes stay, answer every read, say that they are stale, and go on by themselves.
 */
class DatabaseAwaySoak {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration CAUGHT_UP = Duration.ofSeconds(2);
    private static final Duration BETWEEN_READS = Duration.ofMillis(200);

    @ParameterizedTest
    @CsvSource({"cut,30", "stall,30", "cut,120", "stall,120"})
    void database_awayForAllInMidRun_theyServeOnAndGoOnByThemselves(String how, long seconds) throws Exception {
        FaultCluster cluster = FaultCluster.get();
        String name = "database-" + how + "-" + seconds;
        try (TestedSet set = new TestedSet(cluster, name, PERIOD)) {
            set.enable();
            set.awaitPublished(1);
            set.assertServedByAll(1);
            TestUpstream.Pause pause = set.upstream().pauseNext();
            pause.awaitReached();
            String tick = TestedSet.tick(set.running());
            List<Long> pids = pids(cluster);
            List<TestProxy> proxies = IntStream.rangeClosed(1, PROCESSES).mapToObj(cluster::database).toList();
            proxies.forEach(how.equals("cut") ? TestProxy::cut : TestProxy::stall);
            pause.release();
            long stale = 0;
            long reads = 0;
            Instant end = Instant.now().plusSeconds(seconds);
            while (Instant.now().isBefore(end)) {
                for (int number = 1; number <= PROCESSES; number++) {
                    HttpResponse<byte[]> answer = cluster.api(number).get("/v1/sets/" + name);
                    assertThat(answer.statusCode()).as("process %d", number).isEqualTo(200);
                    reads++;
                    stale += answer.headers().firstValue("Bellwether-Stale").isPresent() ? 1 : 0;
                }
                LongRun.pass(BETWEEN_READS);
            }
            assertThat(stale).as("stale ones of %d answers", reads).isGreaterThan(reads / 2);
            proxies.forEach(TestProxy::pass);
            Instant back = Instant.now();
            eventually("the tick has its end", LIMIT, () -> set.attempts(Instant.parse(tick)).stream()
                    .noneMatch(RunRow::isOpen));
            eventually("a later tick is published", LIMIT, () -> set.rows().stream()
                    .anyMatch(row -> row.isPublished() && row.finished().isAfter(back)));
            Duration again = Duration.between(back, Instant.now());
            set.disable();
            TickReport report = new TickOracle(cluster.api(), name, PERIOD).withContents(set.upstream(), 20)
                    .withTakeOversAtAnyTime().verify();
            set.assertServedByAll(set.revision());
            assertThat(pids(cluster)).isEqualTo(pids);
            LongRun.tell(name, String.format(Locale.ROOT, "reads=%d stale=%d published again after %d ms, %s", reads,
                    stale, again.toMillis(), report));
        }
    }

    /** The fourth goes on, and what it publishes meanwhile the others have soon after the end. */
    @ParameterizedTest
    @CsvSource({"cut,60", "stall,60"})
    void database_awayForAllButOne_theyCatchUpWithItWithinTwoSeconds(String how, long seconds) throws Exception {
        FaultCluster cluster = FaultCluster.get();
        String name = "database-" + how + "-but-one";
        try (TestedSet set = new TestedSet(cluster, name, PERIOD)) {
            set.enable();
            set.awaitPublished(1);
            set.assertServedByAll(1);
            Api one = cluster.api(1);
            List<Api> others = IntStream.rangeClosed(2, PROCESSES).mapToObj(cluster::api).toList();
            List<TestProxy> proxies = IntStream.rangeClosed(2, PROCESSES).mapToObj(cluster::database).toList();
            long before = revision(head(one, name));
            proxies.forEach(how.equals("cut") ? TestProxy::cut : TestProxy::stall);
            Instant end = Instant.now().plusSeconds(seconds);
            while (Instant.now().isBefore(end)) {
                assertThat(isStale(head(one, name))).isFalse();
                others.forEach(other -> head(other, name));
                LongRun.pass(BETWEEN_READS);
            }
            assertThat(others).allMatch(other -> isStale(head(other, name)));
            proxies.forEach(TestProxy::pass);
            long back = System.nanoTime();
            long newest = revision(head(one, name));
            eventually("all have revision " + newest, LIMIT, () -> others.stream().map(other -> head(other, name))
                    .allMatch(head -> !isStale(head) && revision(head) >= newest));
            Duration caughtUp = Duration.ofNanos(System.nanoTime() - back);
            set.disable();
            TickReport report = new TickOracle(cluster.api(), name, PERIOD).withContents(set.upstream(), 20)
                    .withTakeOversAtAnyTime().verify();
            LongRun.tell(name, String.format(Locale.ROOT, "away=%d s published meanwhile=%d caught up after %d ms, %s",
                    seconds, newest - before, caughtUp.toMillis(), report));
            assertThat(newest - before).isGreaterThan(seconds / 4);
            assertThat(caughtUp).isLessThanOrEqualTo(CAUGHT_UP);
        }
    }

    private static HttpResponse<byte[]> head(Api process, String set) {
        try {
            HttpResponse<byte[]> head = process.get("/v1/sets/" + set);
            assertThat(head.statusCode()).isEqualTo(200);
            return head;
        } catch (IOException | InterruptedException e) {
            throw new AssertionError("a process does not answer", e);
        }
    }

    private static long revision(HttpResponse<?> head) {
        return head.headers().firstValueAsLong("Bellwether-Revision").orElseThrow();
    }

    private static boolean isStale(HttpResponse<?> answer) {
        return answer.headers().firstValue("Bellwether-Stale").isPresent();
    }

    private static List<Long> pids(FaultCluster cluster) {
        return IntStream.rangeClosed(1, PROCESSES).mapToObj(number -> cluster.process(number).pid()).toList();
    }
}
