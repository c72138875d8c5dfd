package io.bellwether.loadtest;

import java.time.Duration;

import io.gatling.javaapi.core.Simulation;

import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.global;
import static io.gatling.javaapi.core.CoreDsl.scenario;

/** Servers that fetch the whole set at once, as a bundle or ({@code -Dwhole=segments}) segment by segment. Passes when no request failed. */
public final class Cold extends Simulation {
    private static final int SERVERS = Target.number("servers", 20);
    private static final int SECONDS = Target.number("seconds", 300);

    /** Sets the load up. */
    public Cold() {
        boolean segments = System.getProperty("whole", "bundle").equals("segments");
        setUp(scenario("cold server").exec(segments ? Fleet.segments() : Fleet.bundle())
                .injectOpen(atOnceUsers(SERVERS)).protocols(Target.protocol()))
                .maxDuration(Duration.ofSeconds(SECONDS))
                .assertions(global().failedRequests().count().is(0L),
                        global().successfulRequests().count().gte(2L * SERVERS));
    }
}
