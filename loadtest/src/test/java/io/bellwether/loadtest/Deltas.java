package io.bellwether.loadtest;

import java.time.Duration;

import io.gatling.javaapi.core.Simulation;

import static io.gatling.javaapi.core.CoreDsl.details;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.global;
import static io.gatling.javaapi.core.CoreDsl.rampUsers;
import static io.gatling.javaapi.core.CoreDsl.scenario;

/** Agents that follow the changes of a set by long poll. Passes when no request failed and each feed had its end. */
public final class Deltas extends Simulation {
    private static final int SERVERS = Target.number("servers", 100);
    private static final int SECONDS = Target.number("seconds", 60);
    private static final int WAIT = Target.number("wait", 15);

    /** Sets the load up. */
    public Deltas() {
        setUp(scenario("agent").exec(Fleet.revision()).during(SECONDS)
                .on(exec(Fleet.changes(WAIT)).pause(session -> Fleet.around(1000)))
                .injectOpen(rampUsers(SERVERS).during(5)).protocols(Target.protocol()))
                .maxDuration(Duration.ofSeconds(SECONDS + WAIT + 10L))
                .assertions(global().failedRequests().count().is(0L),
                        details("changes").successfulRequests().count().gt((long) SERVERS));
    }
}
