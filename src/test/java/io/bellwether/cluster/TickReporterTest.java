package io.bellwether.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is said about ticks, from answers in the form that the interface document gives them. */
class TickReporterTest {
    private static final String PUBLISHED = """
            {"id": 7, "job": "demo", "kind": "cron", "scheduledAt": "2026-03-01T10:00:10Z", "state": "published",
             "attempt": 1, "process": "host-12-ab", "fence": 3, "gate": "redis", "durationMs": 84, "revision": 5,
             "upserts": 12, "deletes": 3, "unchanged": 4985, "reason": null}""";
    private static final String RUNNING = """
            {"id": 8, "job": "demo", "scheduledAt": "2026-03-01T10:00:20Z", "state": "running", "attempt": 1}""";
    private static final String REFUSED = """
            {"id": 8, "job": "demo", "kind": "take-over", "scheduledAt": "2026-03-01T10:00:20Z", "state": "refused",
             "attempt": 2, "process": "other", "gate": "postgres", "durationMs": 9, "reason": "line 3: not JSON"}""";

    private final Map<String, String> answers = new ConcurrentHashMap<>();
    private final List<String> said = new ArrayList<>();
    private final SkippedTicks skipped = new SkippedTicks();
    private int expectedToSkip;
    @SuppressWarnings("NullAway.Init")
    private HttpServer server;
    @SuppressWarnings("NullAway.Init")
    private AdminClient client;
    @SuppressWarnings("NullAway.Init")
    private TickReporter reporter;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String answer = answers.get(exchange.getRequestURI().getPath());
            byte[] body = (answer == null ? "{}" : answer).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(answer == null ? 503 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        client = new AdminClient("http://127.0.0.1:" + server.getAddress().getPort());
        reporter = new TickReporter(client, "token", skipped, name -> name.equals("host-12-ab") ? "process-2" : name,
                () -> expectedToSkip,
                ZoneOffset.UTC, said::add);
    }

    @AfterEach
    void stop() {
        client.close();
        server.stop(0);
    }

    private void jobs(String lastRun) {
        answers.put("/v1/admin/jobs",
                "{\"jobs\": [{\"job\": \"demo\", \"running\": null, \"lastRun\": " + lastRun + "}]}");
    }

    private void runs(String... newestFirst) {
        answers.put("/v1/admin/jobs/demo/runs", "{\"runs\": [" + String.join(",", newestFirst) + "]}");
    }

    @Test
    void look_firstTime_takesThePastAsTold() throws Exception {
        jobs("7");
        runs(PUBLISHED);
        reporter.look();
        reporter.look();
        assertThat(said).isEmpty();
    }

    @Test
    void look_afterAPublishedRun_saysWhoLedWhatAndWhoSkippedOnce() throws Exception {
        jobs("null");
        runs();
        reporter.look();
        skipped.hear("process-3",
                "2026-03-01T10:00:10.004Z INFO  [h-1-a] JobBoard: job=demo tick=2026-03-01T10:00:10Z not leader, skipped (leader is h-1-x)");
        skipped.hear("process-1",
                "2026-03-01T10:00:10.004Z INFO  [h-1-b] JobBoard: job=demo tick=2026-03-01T10:00:10Z not leader, skipped (leader is h-1-x)");
        skipped.hear("process-4",
                "2026-03-01T10:00:10.004Z INFO  [h-1-c] JobBoard: job=demo-2 tick=2026-03-01T10:00:10Z not leader, skipped (leader is y)");
        jobs("7");
        runs(PUBLISHED);
        reporter.look();
        reporter.look();
        assertThat(said).containsExactly("10:00:10  demo  process-2 led: published revision 5 (12 put, 3 deleted, 4985"
                + " unchanged) in 84 ms; skipped: process-1 process-3");
    }

    @Test
    void look_beforeTheOthersHaveSpoken_holdsTheLineBackForThem() throws Exception {
        expectedToSkip = 1;
        jobs("null");
        runs();
        reporter.look();
        jobs("7");
        runs(PUBLISHED);
        reporter.look();
        assertThat(said).isEmpty();
        skipped.hear("process-3", "job=demo tick=2026-03-01T10:00:10Z not leader, skipped (leader is h-1-x)");
        reporter.look();
        assertThat(said).singleElement().asString().endsWith("; skipped: process-3");
    }

    @Test
    void look_whileARunIsOpen_saysItWhenItEndsEvenIfTheJobLooksTheSame() throws Exception {
        jobs("7");
        runs(PUBLISHED);
        reporter.look();
        jobs("8");
        runs(RUNNING, PUBLISHED);
        reporter.look();
        assertThat(said).isEmpty();
        runs(REFUSED, PUBLISHED);
        reporter.look();
        assertThat(said).containsExactly(
                "10:00:20  demo  other led: refused in 9 ms, attempt 2, without Redis: line 3: not JSON");
    }

    @Test
    void look_jobMadeLater_saysItsFirstRunToo() throws Exception {
        answers.put("/v1/admin/jobs", "{\"jobs\": []}");
        reporter.look();
        jobs("7");
        runs(PUBLISHED);
        reporter.look();
        assertThat(said).hasSize(1);
    }

    @Test
    void look_whenTheApiIsAwayOrSpeaksOtherwise_saysNothingAndGoesOn() throws Exception {
        reporter.look();
        answers.put("/v1/admin/jobs", "{\"jobs\": [{\"name\": 3}, {\"job\": \"demo\", \"lastRun\": 1}]}");
        reporter.look();
        answers.put("/v1/admin/jobs/demo/runs",
                "{\"runs\": [{\"id\": 9, \"scheduledAt\": \"soon\", \"state\": \"odd\"}]}");
        answers.put("/v1/admin/jobs", "{\"jobs\": [{\"job\": \"demo\", \"lastRun\": 2}]}");
        reporter.look();
        assertThat(said).containsExactly("soon  demo  odd");
    }
}
