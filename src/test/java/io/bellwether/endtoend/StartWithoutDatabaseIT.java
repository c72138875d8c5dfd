package io.bellwether.endtoend;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;

import org.junit.jupiter.api.Test;

/** A process that starts while the database is away: it serves what its host holds, and picks up by itself. */
class StartWithoutDatabaseIT {
    private static final Duration LIMIT = TestedSet.LIMIT;
    private static final int STARTED = 2;

    @Test
    void process_startedWhileTheDatabaseIsAway_servesWhatItsHostHoldsAndPicksUpByItself() throws Exception {
        FaultCluster cluster = FaultCluster.get();
        try (TestedSet set = new TestedSet(cluster, "start-without-database", TestedSet.PERIOD)) {
            set.enable();
            set.awaitPublished(2);
            set.disable();
            String path = "/v1/sets/" + set.name();
            long published = set.revision();
            set.assertServedByAll(published);
            assertThat(cluster.api(STARTED).verifiedLines(set.name(), published)).isNotEmpty();
            long pid = cluster.process(STARTED).pid();
            cluster.database(STARTED).cut();
            cluster.process(STARTED).kill();
            eventually("another process", LIMIT, () -> cluster.process(STARTED).pid() != pid);
            Api started = cluster.api(STARTED);
            eventually("it serves the set", LIMIT, () -> serves(started, path));
            HttpResponse<byte[]> head = started.get(path);
            assertThat(isStale(head)).isTrue();
            // The heads of a host are kept every few seconds.
            long held = revision(head);
            assertThat(held).isBetween(1L, published);
            assertThat(started.verifiedLines(set.name(), held)).isNotEmpty();
            for (String read : new String[]{"/v1/sets", path + "/manifest", path + "/changes?since=0",
                    path + "/policies?limit=5", "/readyz"}) {
                assertThat(started.get(read).statusCode()).as(read).isEqualTo(200);
            }
            set.enable();
            set.awaitPublished(1);
            long newest = set.revision();
            cluster.database(STARTED).pass();
            eventually("it is as far as the others", LIMIT, () -> {
                HttpResponse<byte[]> now = started.get(path);
                return now.statusCode() == 200 && !isStale(now) && revision(now) >= newest;
            });
            set.disable();
            set.assertServedByAll(set.revision());
        }
    }

    private static boolean serves(Api process, String path) throws InterruptedException {
        try {
            return process.get(path).statusCode() == 200;
        } catch (IOException e) {
            return false; // It does not listen yet.
        }
    }

    private static boolean isStale(HttpResponse<?> answer) {
        return answer.headers().firstValue("Bellwether-Stale").isPresent();
    }

    private static long revision(HttpResponse<?> answer) {
        return answer.headers().firstValueAsLong("Bellwether-Revision").orElseThrow();
    }
}
