package io.bellwether.endtoend;

import static io.bellwether.endtoend.FaultCluster.PROCESSES;
import static io.bellwether.endtoend.TestedSet.PERIOD;
import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

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

    private static List<Long> pids(FaultCluster cluster) {
        return IntStream.rangeClosed(1, PROCESSES).mapToObj(number -> cluster.process(number).pid()).toList();
    }
}
