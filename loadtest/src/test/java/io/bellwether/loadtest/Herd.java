package io.bellwether.loadtest;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;

import io.gatling.javaapi.core.Simulation;

import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.details;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.global;
import static io.gatling.javaapi.core.CoreDsl.scenario;

/**
 * All servers of a fleet restart together, each with the set that it held: they ask at once for the head, then poll on.
 * Passes when no request failed and the 99th percentile of the first ones stays below {@code p99} milliseconds.
 */
public final class Herd extends Simulation {
    private static final int SERVERS = Target.number("servers", 500);
    private static final int SECONDS = Target.number("seconds", 20);
    private static final int P99_MILLIS = Target.number("p99", 5000);

    /** Sets the load up. */
    public Herd() throws IOException, InterruptedException {
        HttpResponse<Void> head = Target.ask("/v1/sets/" + Target.SET);
        String etag = head.headers().firstValue("ETag").orElseThrow(
                () -> new IllegalStateException("the set " + Target.SET + " answers " + head.statusCode()));
        setUp(scenario("server").exec(session -> session.set("etag", etag)).exec(Fleet.head("first")).during(SECONDS)
                .on(exec(Fleet.poll(2000)))
                .injectOpen(atOnceUsers(SERVERS)).protocols(Target.protocol()))
                .maxDuration(Duration.ofSeconds(SECONDS + 30L))
                .assertions(global().failedRequests().count().is(0L),
                        details("first").successfulRequests().count().is((long) SERVERS),
                        details("first").responseTime().percentile(99.0).lt(P99_MILLIS));
    }
}
