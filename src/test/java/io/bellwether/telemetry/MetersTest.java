package io.bellwether.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

class MetersTest {
    @Test
    void scrape_everyMeterOfOurs_saysWhatItIs() {
        try (Meters meters = new Meters()) {
            meters.tick("job", "won");
            meters.run("job", "cron", "published", Duration.ofMillis(5));
            meters.startLag("job", Duration.ofMillis(-5));
            meters.lastSuccess("job", 1);
            meters.ledgerFailure();
            meters.gate("redis", "won");
            meters.set("set", 1, 2, 3);
            meters.refreshRows("set", "upsert", 1);
            meters.refreshPhase("set", "read", Duration.ofMillis(1));
            meters.refreshProgress("set", 1, 2, 0.5, 3);
            meters.segmentsBuilt(1);
            meters.request("/v1/sets", 200, Duration.ofMillis(1));
            List<String> help = meters.scrape().lines().filter(line -> line.startsWith("# HELP bellwether_")).toList();
            assertThat(help).allMatch(line -> line.matches("# HELP \\S+ \\S.+"));
            // Timers come with a second name for their maximum, counters with a suffix.
            assertThat(Meters.names())
                    .allMatch(name -> help.stream().anyMatch(line -> line.startsWith("# HELP " + name)));
            // An alert on what never happened needs a 0.
            assertThat(meters.scrape()).contains("bellwether_job_recoveries_total{job=\"job\"} 0.0",
                    "bellwether_job_fenced_total{job=\"job\"} 0.0");
        }
    }

    @Test
    void forget_aSet_leavesThoseOfTheOthersAndBeginsAnew() {
        try (Meters meters = new Meters()) {
            for (String set : List.of("gone", "stays")) {
                meters.set(set, 1, 2, 3);
                meters.tick(set, "won");
                meters.refreshPhase(set, "read", Duration.ofMillis(1));
            }
            meters.forget("gone");
            assertThat(meters.scrape()).doesNotContain("\"gone\"").contains(
                    "bellwether_set_revision{set=\"stays\"} 1.0",
                    "bellwether_job_ticks_total{job=\"stays\",outcome=\"won\"} 1.0");
            meters.set("gone", 7, 8, 9);
            assertThat(meters.scrape()).contains("bellwether_set_revision{set=\"gone\"} 7.0");
        }
    }
}
