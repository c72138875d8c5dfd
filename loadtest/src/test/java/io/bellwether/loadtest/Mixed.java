package io.bellwether.loadtest;

import java.time.Duration;

import io.gatling.javaapi.core.Simulation;

import static io.gatling.javaapi.core.CoreDsl.details;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.global;
import static io.gatling.javaapi.core.CoreDsl.rampUsers;
import static io.gatling.javaapi.core.CoreDsl.scenario;

/**
 * A fleet in proportion: of 100 servers 60 poll, 25 wait, 10 follow the changes, and 5 fetch the whole set; meanwhile, with
 * {@code -Dadmin=TOKEN}, a run of the job {@code job} (the set's) is asked for. Passes when no request failed and the 99th
 * percentile of the polls stays below {@code p99} milliseconds.
 */
public final class Mixed extends Simulation {
    private static final int SERVERS = Target.number("servers", 100);
    private static final int SECONDS = Target.number("seconds", 60);
    private static final int P99_MILLIS = Target.number("p99", 2000);

    /** Sets the load up. */
    public Mixed() {
        setUp(scenario("polling server").during(SECONDS).on(exec(Fleet.poll(1000)))
                .injectOpen(rampUsers(share(60)).during(5)),
                scenario("waiting server").exec(Fleet.head("head")).during(SECONDS)
                        .on(exec(Fleet.waitForNews(15)).pause(session -> Fleet.around(20)))
                        .injectOpen(rampUsers(share(25)).during(5)),
                scenario("agent").exec(Fleet.revision()).during(SECONDS)
                        .on(exec(Fleet.changes(15)).pause(session -> Fleet.around(1000)))
                        .injectOpen(rampUsers(share(10)).during(5)),
                scenario("cold server").exec(Fleet.bundle()).injectOpen(rampUsers(share(5)).during(SECONDS)))
                .protocols(Target.protocol()).maxDuration(Duration.ofSeconds(SECONDS + 60L))
                .assertions(global().failedRequests().percent().lte(0.1),
                        details("head").failedRequests().count().is(0L),
                        details("head").responseTime().percentile(99.0).lt(P99_MILLIS));
    }

    @Override
    public void before() {
        String admin = System.getProperty("admin", "");
        if (!admin.isEmpty()) {
            Target.runNow(System.getProperty("job", Target.SET), admin);
        }
    }

    @Override
    public void after() {
        Lateness.write();
    }

    private static int share(int percent) {
        return Math.max(1, SERVERS * percent / 100);
    }
}
