package io.bellwether.loadtest;

import java.time.Duration;

import io.gatling.javaapi.core.Simulation;

import static io.gatling.javaapi.core.CoreDsl.details;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.rampUsers;
import static io.gatling.javaapi.core.CoreDsl.scenario;

/**
 * A fleet that waits for each publish by long poll. Passes when at most one answer in a hundred came later than {@code
 * late} milliseconds after its publish, or failed. The set should publish a few times meanwhile.
 */
public final class Waits extends Simulation {
    private static final int SERVERS = Target.number("servers", 200);
    private static final int SECONDS = Target.number("seconds", 60);
    private static final int WAIT = Target.number("wait", 25);

    /** Sets the load up. */
    public Waits() {
        setUp(scenario("waiting server").exec(Fleet.head("head")).during(SECONDS)
                .on(exec(Fleet.waitForNews(WAIT)).pause(session -> Fleet.around(20)))
                .injectOpen(rampUsers(SERVERS).during(5)).protocols(Target.protocol()))
                .maxDuration(Duration.ofSeconds(SECONDS + WAIT + 10L))
                .assertions(details("wait").failedRequests().percent().lte(1.0),
                        details("wait").successfulRequests().count().gt((long) SERVERS),
                        details("head").failedRequests().count().is(0L));
    }

    @Override
    public void after() {
        Lateness.write();
    }
}
