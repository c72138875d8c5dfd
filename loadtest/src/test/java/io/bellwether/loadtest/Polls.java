package io.bellwether.loadtest;

import java.time.Duration;

import io.gatling.javaapi.core.ScenarioBuilder;
import io.gatling.javaapi.core.Simulation;

import static io.gatling.javaapi.core.CoreDsl.constantConcurrentUsers;
import static io.gatling.javaapi.core.CoreDsl.details;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.global;
import static io.gatling.javaapi.core.CoreDsl.rampConcurrentUsers;
import static io.gatling.javaapi.core.CoreDsl.scenario;

/**
 * A fleet that polls the head of a set: each server asks with the ETag of its last answer, so that nearly all answers are
 * 304. Passes when no request failed and the 99th percentile stays below {@code p99} milliseconds.
 */
public final class Polls extends Simulation {
    private static final int SERVERS = Target.number("servers", 50);
    private static final int SECONDS = Target.number("seconds", 30);
    private static final int PAUSE_MILLIS = Target.number("pause", 100);
    private static final int P99_MILLIS = Target.number("p99", 1000);

    /** Sets the load up. */
    public Polls() {
        ScenarioBuilder server = scenario("server").during(SECONDS)
                .on(exec(Fleet.head("head")).pause(Duration.ofMillis(PAUSE_MILLIS)));
        setUp(server.injectClosed(rampConcurrentUsers(1).to(SERVERS).during(5),
                constantConcurrentUsers(SERVERS).during(SECONDS)).protocols(Target.protocol()))
                .maxDuration(Duration.ofSeconds(SECONDS + 10L))
                .assertions(global().failedRequests().count().is(0L),
                        details("head").responseTime().percentile(99.0).lt(P99_MILLIS));
    }
}
