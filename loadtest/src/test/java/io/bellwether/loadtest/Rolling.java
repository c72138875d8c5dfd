package io.bellwether.loadtest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.gatling.javaapi.core.Simulation;

import static io.gatling.javaapi.core.CoreDsl.constantUsersPerSec;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.global;
import static io.gatling.javaapi.core.CoreDsl.rampUsers;
import static io.gatling.javaapi.core.CoreDsl.scenario;

/**
 * Polls, {@code rate} a second, and waiting servers, while the processes of a local cluster restart one by one: {@code
 * bellwether rolling-restart}, {@code times} times; {@code dir} is the folder of its {@code up}. Against any other cluster
 * ({@code -Dtimes=0}) somebody restarts them meanwhile. Passes when no request failed and each restart went well.
 */
public final class Rolling extends Simulation {
    private static final int RATE = Target.number("rate", 100);
    private static final int WAITING = Target.number("servers", 100);
    private static final int SECONDS = Target.number("seconds", 120);
    private static final int TIMES = Target.number("times", 1);
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private volatile boolean well = true;
    private final Thread restarts = new Thread(this::restart, "rolling-restart");

    /** Sets the load up. */
    public Rolling() {
        setUp(scenario("polls").exec(Fleet.head("head")).injectOpen(constantUsersPerSec(RATE).during(SECONDS)),
                scenario("waiting server").exec(Fleet.head("head")).during(SECONDS)
                        .on(exec(Fleet.waitForNews(20)).pause(session -> Fleet.around(20)))
                        .injectOpen(rampUsers(WAITING).during(5)))
                .protocols(Target.protocol()).maxDuration(Duration.ofSeconds(SECONDS + 40L))
                .assertions(global().failedRequests().count().is(0L));
    }

    @Override
    public void before() {
        restarts.setDaemon(true);
        restarts.start();
    }

    private void restart() {
        try {
            TimeUnit.SECONDS.sleep(5);
            for (int i = 0; i < TIMES; i++) {
                Process process = new ProcessBuilder(List.of(command(), "rolling-restart", "--dir", System.getProperty("dir", "."))).inheritIO().start();
                if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
                    process.destroyForcibly();
                    well = false;
                    return;
                }
            }
        } catch (IOException e) {
            System.err.println("cannot run rolling-restart: " + e.getMessage());
            well = false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The built command, wherever this was started from: the repository or its loadtest folder. */
    private static String command() {
        Path built = Path.of("target/bellwether/bin/bellwether");
        return System.getProperty("bellwether",
                (Files.exists(built) ? built : Path.of("..").resolve(built)).toString());
    }

    @Override
    public void after() {
        boolean over = !restarts.isAlive();
        System.out.println(!well ? "A RESTART FAILED" : over ? "restarted " + TIMES + " times"
                : "THE RESTARTS WERE NOT OVER: give more -Dseconds");
        if (!well || !over) {
            Runtime.getRuntime().halt(1);
        }
    }
}
