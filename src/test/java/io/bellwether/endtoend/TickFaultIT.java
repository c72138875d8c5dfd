package io.bellwether.endtoend;

import static io.bellwether.endtoend.TestedSet.at;
import static io.bellwether.endtoend.TestedSet.state;
import static io.bellwether.endtoend.TestedSet.tick;
import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.bellwether.fault.Failpoint;

/** Processes that die in the middle of a tick. */
class TickFaultIT {
    private static final Duration PERIOD = Duration.ofSeconds(2);

    @SuppressWarnings("NullAway.Init")
    private FaultCluster cluster;

    @BeforeEach
    void cluster() throws Exception {
        cluster = FaultCluster.get();
    }

    @ParameterizedTest
    @EnumSource(names = {"CLAIM_COMMITTED", "WORK_STARTED", "FEED_READ", "PUBLISH_FENCED", "PUBLISH_SENT"})
    void leader_killedBeforeItPublished_anotherFinishesTheTick(Failpoint point) throws Exception {
        String name = "kill-" + point.name().toLowerCase(Locale.ROOT).replace('_', '-');
        try (TestedSet set = new TestedSet(cluster, name, PERIOD)) {
            set.enable();
            set.awaitPublished(1);
            FaultCluster.Reached dead = cluster.arm(point, name, "kill").awaitReached();
            eventually("the tick is taken over", TestedSet.LIMIT, () -> set.runs().stream()
                    .anyMatch(r -> r.path("attempt").intValue() == 2 && state(r).equals("published")));
            List<JsonNode> attempts = set.attempts(tick(set.runs().stream()
                    .filter(r -> r.path("process").asText().equals(dead.process()) && state(r).equals("abandoned"))
                    .findFirst().orElseThrow()));
            assertThat(attempts).extracting(TestedSet::state).containsExactly("abandoned", "published");
            assertThat(Duration.between(at(attempts.get(0), "claimedAt"), at(attempts.get(1), "claimedAt")))
                    .isLessThan(FaultCluster.TAKE_OVER);
            set.assertSound();
        }
    }
}
