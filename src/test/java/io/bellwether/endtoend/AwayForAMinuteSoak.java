package io.bellwether.endtoend;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.bellwether.cluster.LocalCluster;
import io.bellwether.cluster.Part;
import io.bellwether.feed.FeedShape;

/**
 * PostgreSQL stopped for a minute, and Redis stopped or silent for one, under steady reads of every kind: none fails.
 * Without the database they are marked stale, and soon after its return no more; without Redis they are fresh, and the
 * schedule goes on.
 *
 * <p>System property: {@code bellwether.soak.away}, the seconds (60).
 */
class AwayForAMinuteSoak {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration AWAY = Duration.ofSeconds(Integer.getInteger("bellwether.soak.away", 60));
    private static final Duration CAUGHT_UP = Duration.ofSeconds(2);
    private static final Duration A_WHILE = Duration.ofSeconds(6);
    private static final String EVERY_TWO_SECONDS = "*/2 * * * * *";

    @SuppressWarnings("NullAway.Init")
    private LocalCluster cluster;
    @SuppressWarnings("NullAway.Init")
    private Api api;
    @SuppressWarnings("NullAway.Init")
    private List<Api> processes;
    @SuppressWarnings("NullAway.Init")
    private TestUpstream upstream;

    @BeforeEach
    void start() throws Exception {
        cluster = SharedCluster.get();
        api = new Api(cluster);
        processes = cluster.describe().processes().stream().map(p -> new Api(p.url(), cluster.adminToken())).toList();
        upstream = new TestUpstream(Feeds.of(new FeedShape(600, 11, 0.02, 0)));
    }

    @AfterEach
    void stop() throws Exception {
        cluster.postgres().start();
        cluster.redis().signal("CONT");
        cluster.redis().start();
        upstream.close();
    }

    @Test
    void postgres_stoppedForAMinute_everyReadIsAnsweredAndMarkedUntilItIsBack() throws Exception {
        String set = "without-postgres";
        publishes(set, true);
        eventually("three revisions", LIMIT, () -> revision(api, set) >= 3);
        // At rest: what was published in the very moment of the stop is not on this host's disk yet.
        publishes(set, false);
        awaitServedByAll(set, revision(api, set));
        try (SteadyReads reads = new SteadyReads(api, set)) {
            LongRun.pass(A_WHILE);
            reads.phase("stopping");
            cluster.postgres().stop();
            eventually("all say that they are stale", CAUGHT_UP,
                    () -> processes.stream().allMatch(process -> isStale(process, set)));
            reads.phase("away");
            LongRun.pass(AWAY);
            reads.phase("starting");
            cluster.postgres().start();
            long back = System.nanoTime();
            eventually("none is stale", LIMIT, () -> processes.stream().noneMatch(process -> isStale(process, set)));
            Duration caughtUp = Duration.ofNanos(System.nanoTime() - back);
            reads.phase("after");
            long before = revision(api, set);
            publishes(set, true);
            eventually("a new revision", LIMIT, () -> revision(api, set) > before);
            Duration published = Duration.ofNanos(System.nanoTime() - back);
            LongRun.pass(A_WHILE);
            publishes(set, false);
            awaitServedByAll(set, revision(api, set));
            reads.end();
            LongRun.tell(set, String.format(Locale.ROOT, "away=%d s caught up after %d ms, published after %d ms, %s",
                    AWAY.toSeconds(), caughtUp.toMillis(), published.toMillis(), reads));
            reads.assertFresh("before", "after");
            reads.assertStale("away");
            assertThat(caughtUp).isLessThanOrEqualTo(CAUGHT_UP);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"stopped", "silent"})
    void redis_awayForAMinute_everyReadIsFreshAndTheScheduleGoesOn(String how) throws Exception {
        String set = "redis-" + how;
        publishes(set, true);
        eventually("two revisions", LIMIT, () -> revision(api, set) >= 2);
        Part redis = cluster.redis();
        try (SteadyReads reads = new SteadyReads(api, set)) {
            LongRun.pass(A_WHILE);
            reads.phase("away");
            if (how.equals("stopped")) {
                redis.stop();
            } else {
                redis.signal("STOP");
            }
            long before = revision(api, set);
            LongRun.pass(AWAY);
            long published = revision(api, set) - before;
            if (how.equals("stopped")) {
                redis.start();
            } else {
                redis.signal("CONT");
            }
            long back = System.nanoTime();
            reads.phase("after");
            eventually("all see Redis", LIMIT, () -> processes.stream().allMatch(AwayForAMinuteSoak::seesRedis));
            Duration seen = Duration.ofNanos(System.nanoTime() - back);
            LongRun.pass(A_WHILE);
            publishes(set, false);
            TickReport report = new TickOracle(api, set, LongRun.PERIOD).withContents(upstream, 40).verify();
            awaitServedByAll(set, revision(api, set));
            reads.end();
            LongRun.tell(set, String.format(Locale.ROOT,
                    "away=%d s published meanwhile=%d, seen again by all after %d ms, %s, %s", AWAY.toSeconds(),
                    published, seen.toMillis(), report, reads));
            reads.assertFresh("before", "away", "after");
            assertThat(published).as("revisions without Redis").isGreaterThan(AWAY.dividedBy(2).toSeconds() / 2);
            assertThat(report.gates()).containsKeys("redis", "postgres");
        }
    }

    private void publishes(String set, boolean enabled) throws Exception {
        api.put(set, upstream.url(), EVERY_TWO_SECONDS, enabled);
        if (!enabled) {
            eventually("nothing of " + set + " runs", LIMIT,
                    () -> api.runs(set).stream().map(RunRow::of).noneMatch(RunRow::isOpen));
        }
    }

    private void awaitServedByAll(String set, long revision) throws Exception {
        for (Api process : processes) {
            eventually("revision " + revision + " of " + set, LIMIT, () -> revision(process, set) >= revision);
            // All of it: changes, and the bundle from the first segment to the last.
            assertThat(process.verifiedLines(set, revision)).isNotEmpty();
            assertThat(process.get("/v1/sets/" + set + "/changes?since=" + (revision - 1)).statusCode()).isEqualTo(200);
        }
    }

    private static long revision(Api from, String set) throws IOException, InterruptedException {
        HttpResponse<byte[]> head = from.get("/v1/sets/" + set);
        return head.statusCode() == 200 ? head.headers().firstValueAsLong("Bellwether-Revision").orElseThrow() : 0;
    }

    private static boolean isStale(Api process, String set) {
        try {
            return process.get("/v1/sets/" + set).headers().firstValue("Bellwether-Stale").isPresent();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError("a process does not answer", e);
        }
    }

    private static boolean seesRedis(Api process) {
        try {
            return new String(process.get("/readyz").body(), StandardCharsets.UTF_8).contains("\"redis\":\"there\"");
        } catch (IOException | InterruptedException e) {
            throw new AssertionError("a process does not answer", e);
        }
    }
}
