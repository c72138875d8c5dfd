package io.bellwether.endtoend;

import static io.bellwether.endtoend.TestedSet.LIMIT;
import static io.bellwether.endtoend.TestedSet.at;
import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clocks that are wrong: each tick runs once, none early, and who is far off leaves the ticks to the others. */
class ClockFaultIT {
    private static final Duration PERIOD = Duration.ofSeconds(1);

    @SuppressWarnings("NullAway.Init")
    private FaultCluster cluster;
    @SuppressWarnings("NullAway.Init")
    private Api api;

    @BeforeEach
    void cluster() throws Exception {
        cluster = FaultCluster.get();
        api = cluster.api();
    }

    @Test
    void clocks_apart_eachTickOnceAndNoneEarlyAndTheOneFarOffClaimsNothing() throws Exception {
        try (TestedSet set = new TestedSet(cluster, "clocks-apart", PERIOD)) {
            cluster.clock(1, Duration.ofSeconds(7));
            cluster.clock(2, Duration.ofSeconds(-7));
            cluster.clock(3, Duration.ofSeconds(-90));
            int told = cluster.log(3).length();
            awaitOffset(1, -7_000);
            awaitOffset(2, 7_000);
            awaitOffset(3, 90_000);
            set.enable();
            eventually("eight runs", LIMIT, () -> runs(set).size() >= 8);
            assertThat(runs(set)).extracting(r -> r.path("process").textValue()).doesNotContain(name(3));
            assertThat(cluster.log(3).substring(told)).contains("claiming no ticks");
            cluster.clock(3, Duration.ZERO);
            eventually("it says that it claims again", LIMIT,
                    () -> cluster.log(3).substring(told).contains("claiming ticks again"));
            eventually("it leads again", LIMIT,
                    () -> runs(set).stream().anyMatch(r -> r.path("process").textValue().equals(name(3))));
            assertNoneEarly(set);
        }
    }

    @Test
    void clock_eightHoursAheadForAWhile_movesNoTick() throws Exception {
        try (TestedSet set = new TestedSet(cluster, "clock-ahead", PERIOD)) {
            set.enable();
            set.awaitPublished(1);
            TestUpstream.Pause pause = set.upstream().pauseNext();
            pause.awaitReached();
            JsonNode run = set.running();
            int leader = cluster.number(run.path("process").textValue());
            cluster.clock(leader, Duration.ofHours(8));
            awaitOffset(leader, -8 * 3_600_000);
            pause.release();
            set.awaitPublished(3);
            cluster.clock(leader, Duration.ZERO);
            awaitOffset(leader, 0);
            assertThat(set.attempts(TestedSet.tick(run))).as("its run was not disturbed")
                    .extracting(TestedSet::state).containsExactly("published");
            assertNoneEarly(set);
        }
    }

    /** The runs that somebody claimed. */
    private static List<JsonNode> runs(TestedSet set) throws Exception {
        return set.runs().stream().filter(r -> r.path("claimedAt").isTextual()).toList();
    }

    private static void assertNoneEarly(TestedSet set) throws Exception {
        set.disable();
        set.assertSound();
        for (JsonNode run : runs(set)) {
            assertThat(at(run, "claimedAt")).as("%s", run).isAfterOrEqualTo(at(run, "scheduledAt"))
                    .isBefore(at(run, "scheduledAt").plusSeconds(30));
        }
        assertThat(at(runs(set).getLast(), "claimedAt")).isBefore(Instant.now().plusSeconds(1));
    }

    private String name(int number) {
        return cluster.cluster().describe().processes().get(number - 1).name();
    }

    /** Waits until the list of processes shows how far the database's clock is ahead of that process's, to a second. */
    private void awaitOffset(int number, long millis) throws Exception {
        eventually("process " + number + " shows an offset of " + millis + " ms", LIMIT, () -> {
            for (JsonNode process : api.json("/v1/admin/processes").path("processes")) {
                if (process.path("name").textValue().equals(name(number))) {
                    return Math.abs(process.path("clockOffsetMs").longValue() - millis) < 1_000;
                }
            }
            return false;
        });
    }
}
