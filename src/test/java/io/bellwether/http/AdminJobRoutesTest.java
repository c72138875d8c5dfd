package io.bellwether.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

import io.bellwether.testing.Eventually;

/** What operators do with the job of a set: they see its runs, ask for them, approve, roll back and pause. */
class AdminJobRoutesTest extends AdminFixture {
    @Test
    void candidates_refusedApprovedAndUsed_showWhatBecameOfThem() throws Exception {
        put("firewall", SET);
        String hash = "ab".repeat(32);
        update("insert into run (job_id, kind, scheduled_at, state, process, claimed_at, finished_at, upserts, deletes,"
                + " unchanged, reason, candidate) select job_id, 'cron', now(), 'refused', 'p', now(), now(), 0, 9, 1,"
                + " 'too many', decode('" + hash + "', 'hex') from job");
        assertThat(get("/v1/admin/jobs/firewall/runs").path("runs").path(0).path("candidate").asText())
                .isEqualTo(hash);
        JsonNode candidate = get("/v1/admin/sets/firewall/candidates").path("candidates").path(0);
        assertThat(candidate.path("hash").asText()).isEqualTo(hash);
        assertThat(candidate.path("reason").asText()).isEqualTo("too many");
        assertThat(candidate.path("deletes").asInt()).isEqualTo(9);
        assertThat(candidate.path("approval").isNull()).isTrue();

        String approve = "/v1/admin/sets/firewall/candidates/" + hash + "/approve";
        problem(send("POST", approve, EDGE, "{}"), 403, "forbidden");
        HttpResponse<String> queued = send("POST", approve, ADMIN, "{\"reason\":\"wanted\"}");
        assertThat(queued.statusCode()).isEqualTo(202);
        JsonNode run = json.readTree(queued.body());
        assertThat(run.path("state").asText()).isEqualTo("queued");
        assertThat(run.path("request").path("approve").asText()).isEqualTo(hash);
        assertThat(queued.headers().firstValue("Location"))
                .hasValue("/v1/admin/jobs/firewall/runs/" + run.path("id").asText());
        assertThat(json.readTree(send("POST", approve, ADMIN, null).body()).path("id")).isEqualTo(run.path("id"));
        update("update run set state = 'published', finished_at = now() where state = 'queued'");
        assertThat(get("/v1/admin/sets/firewall/candidates").path("candidates").path(0).path("approval").asText())
                .isEqualTo("published");
        assertThat(problem(send("POST", approve, ADMIN, null), 409, "conflict").path("detail").asText())
                .contains("was used by run " + run.path("id"));
        problem(send("POST", approve.replace(hash, "cd".repeat(32)), ADMIN, null), 404, "not-found");
        problem(send("POST", approve.replace(hash, "xyz"), ADMIN, null), 404, "not-found");
    }

    @Test
    void rollback_isWaitedForAWhile_thenToldWhereItIs() throws Exception {
        put("firewall", SET);
        String path = "/v1/admin/sets/firewall/rollback";
        for (String bad : List.of("{}", "{\"to\":0}", "{\"to\":1.5}", "{\"to\":\"1\"}", "{\"to\":1,\"x\":1}")) {
            problem(send("POST", path, ADMIN, bad), 400, "invalid-request");
        }
        problem(send("POST", path, ADMIN, "{\"to\":1}"), 404, "not-found");
        problem(send("POST", path.replace("firewall", "none"), ADMIN, "{\"to\":1}"), 404, "not-found");
        update("update policy_set set revision = 2");
        problem(send("POST", path, ADMIN, "{\"to\":2}"), 409, "conflict");
        problem(send("POST", path, ADMIN, "{\"to\":1}"), 410, "revision-gone");
        update("insert into revision (set_id, revision, policies, bytes, raw_bytes, content_sha256, upserts, deletes,"
                + " has_delta, published_at, process) select set_id, r, 0, 0, 0, sha256(''), 0, 0, false, now(), 'p'"
                + " from policy_set, generate_series(1, 2) r");
        // Nobody runs it here.
        HttpResponse<String> waited = send("POST", path, ADMIN, "{\"to\":1}");
        assertThat(waited.statusCode()).isEqualTo(202);
        assertThat(json.readTree(waited.body()).path("request").path("rollback").asInt()).isEqualTo(1);
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<HttpResponse<String>> answer = threads.submit(() -> http.send(
                    request(path, ADMIN).header("Idempotency-Key", "k").header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString("{\"to\":1}")).build(),
                    HttpResponse.BodyHandlers.ofString()));
            Eventually.eventually("queued", Duration.ofSeconds(5), () -> update("update run set state = 'published',"
                    + " finished_at = now(), revision = 3 where idempotency_key = 'k'") == 1);
            assertThat(answer.get().statusCode()).isEqualTo(201);
            JsonNode done = json.readTree(answer.get().body());
            assertThat(done.path("revision").asInt()).isEqualTo(3);
            assertThat(done.path("rolledBackTo").asInt()).isEqualTo(1);
        }
        update("update run set state = 'refused', finished_at = now(), reason = 'so it is' where state = 'queued'"
                + " or idempotency_key = 'k'");
        HttpResponse<String> again = http.send(
                request(path, ADMIN).header("Idempotency-Key", "k").header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString("{\"to\":1}")).build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(problem(again, 409, "conflict").path("detail").asText()).contains("ended as refused: so it is");
    }

    private int update(String sql) throws Exception {
        return database.<Integer, RuntimeException>inTransaction("test", Duration.ofSeconds(5), connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                return statement.executeUpdate();
            }
        });
    }

    @Test
    void jobs_ofASet_tellItsSchedule() throws Exception {
        put("firewall", SET);
        JsonNode job = get("/v1/admin/jobs").path("jobs").path(0);
        assertThat(job.path("job").asText()).isEqualTo("firewall");
        assertThat(job.path("schedule").asText()).isEqualTo("0 0 4 * * *");
        assertThat(job.path("zone").asText()).isEqualTo("UTC");
        assertThat(job.path("enabled").asBoolean()).isTrue();
        assertThat(Instant.parse(job.path("nextTick").asText())).isAfter(Instant.now());
        for (String name : List.of("pausedUntil", "leader", "running", "lastRun", "lastSuccess")) {
            assertThat(job.has(name)).as(name).isTrue();
            assertThat(job.path(name).isNull()).as(name).isTrue();
        }
    }

    @Test
    void runNow_twiceWithOneKey_isOneRun() throws Exception {
        put("firewall", SET);
        HttpResponse<String> first = runNow("firewall", "key-1");
        assertThat(first.statusCode()).isEqualTo(202);
        JsonNode run = json.readTree(first.body());
        assertThat(run.path("state").asText()).isEqualTo("queued");
        assertThat(run.path("kind").asText()).isEqualTo("manual");
        assertThat(json.readTree(runNow("firewall", "key-1").body()).path("id")).isEqualTo(run.path("id"));
        assertThat(json.readTree(runNow("firewall", "key-2").body()).path("id")).isNotEqualTo(run.path("id"));
        String location = first.headers().firstValue("Location").orElseThrow();
        assertThat(get(location)).isEqualTo(run);
        put("other", SET);
        problem(send("GET", location.replace("firewall", "other"), ADMIN, null), 404, "not-found");
    }

    @Test
    void runNow_manyAtOnceWithOneKey_isOneRun() throws Exception {
        put("firewall", SET);
        List<Callable<String>> all = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            all.add(() -> json.readTree(runNow("firewall", "same").body()).path("id").asText());
        }
        List<String> ids = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(6)) {
            for (Future<String> done : threads.invokeAll(all)) {
                ids.add(done.get());
            }
        }
        assertThat(ids.stream().distinct()).hasSize(1);
    }

    @Test
    void runs_inPages_areTheNewestFirst() throws Exception {
        put("firewall", SET);
        for (int i = 0; i < 5; i++) {
            runNow("firewall", "key-" + i);
        }
        JsonNode page = get("/v1/admin/jobs/firewall/runs?limit=2").path("runs");
        assertThat(page).hasSize(2);
        assertThat(page.path(0).path("id").asLong()).isGreaterThan(page.path(1).path("id").asLong());
        JsonNode next = get("/v1/admin/jobs/firewall/runs?before=" + page.path(1).path("id")).path("runs");
        assertThat(next).hasSize(3);
        assertThat(get("/v1/admin/jobs/firewall/runs?before=").path("runs")).hasSize(5);
        problem(send("GET", "/v1/admin/jobs/firewall/runs?limit=0", ADMIN, null), 400, "invalid-request");
        problem(send("GET", "/v1/admin/jobs/firewall/runs?limit=1001", ADMIN, null), 400, "invalid-request");
        problem(send("GET", "/v1/admin/jobs/firewall/runs?before=x", ADMIN, null), 400, "invalid-request");
    }

    @Test
    void pauseAndResume_showInTheJob() throws Exception {
        put("firewall", SET);
        JsonNode paused = json.readTree(
                send("POST", "/v1/admin/jobs/firewall/pause", ADMIN, "{\"reason\":\"upstream moves\"}").body());
        assertThat(paused.path("pausedUntil").asText()).isEqualTo("9999-12-31T23:59:59Z");
        assertThat(paused.path("pauseReason").asText()).isEqualTo("upstream moves");
        JsonNode shorter = json.readTree(send("POST", "/v1/admin/jobs/firewall/pause", ADMIN,
                "{\"until\":\"2999-01-01T00:00:00Z\"}").body());
        assertThat(shorter.path("pausedUntil").asText()).isEqualTo("2999-01-01T00:00:00Z");
        HttpResponse<String> resumed = send("POST", "/v1/admin/jobs/firewall/resume", ADMIN, null);
        assertThat(resumed.statusCode()).isEqualTo(200);
        assertThat(json.readTree(resumed.body()).path("pausedUntil").isNull()).isTrue();
        problem(send("POST", "/v1/admin/jobs/other/pause", ADMIN, "{}"), 404, "not-found");
        problem(send("POST", "/v1/admin/jobs/firewall/pause", ADMIN, "{\"untill\":\"2999-01-01T00:00:00Z\"}"), 400,
                "invalid-request");
        problem(send("POST", "/v1/admin/jobs/firewall/pause", ADMIN, "{\"until\":\"2001-01-01T00:00:00Z\"}"), 400,
                "invalid-request");
        problem(send("POST", "/v1/admin/jobs/firewall/pause", ADMIN, "{\"reason\":\"\\u0000\"}"), 400,
                "invalid-request");
    }

    private HttpResponse<String> runNow(String job, String key) throws Exception {
        return http.send(request("/v1/admin/jobs/" + job + "/runs", ADMIN).header("Idempotency-Key", key)
                .POST(HttpRequest.BodyPublishers.noBody()).build(), HttpResponse.BodyHandlers.ofString());
    }
}
