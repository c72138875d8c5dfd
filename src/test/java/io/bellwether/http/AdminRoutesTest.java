package io.bellwether.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.bellwether.admin.ProcessList;
import io.bellwether.admin.SetAdmin;
import io.bellwether.admin.SetRuns;
import io.bellwether.admin.TokenAdmin;
import io.bellwether.database.Database;
import io.bellwether.fleet.BearerToken;
import io.bellwether.fleet.Grant;
import io.bellwether.lease.JobControl;
import io.bellwether.lease.JobQueries;
import io.bellwether.settings.Settings;
import io.bellwether.telemetry.Meters;
import io.bellwether.testing.Eventually;
import io.bellwether.testing.TestPostgres;

class AdminRoutesTest {
    private static final String ADMIN = "the-admin-token-of-the-test";
    private static final String EDGE = "edge-token";
    private static final String SET = """
            {"source": {"url": "https://feeds.example/a", "headers": {"Authorization": "hush"}},
             "schedule": "0 0 4 * * *"}""";

    private final ObjectMapper json = new ObjectMapper();
    private final Database database = TestPostgres.open(TestPostgres.freshDatabase());
    private final Meters meters = new Meters();
    private final HttpClient http = HttpClient.newHttpClient();
    private HttpServer server;
    private HttpServer newServer(Database database) {
        InstantSource clock = InstantSource.system();
        SetAdmin sets = new SetAdmin(database, url -> Optional.empty());
        List<RouteModule> modules = List.of(new AdminSetRoutes(sets, new ProcessList(database)),
                new AdminJobRoutes(new JobQueries(database), new JobControl(database), clock),
                new AdminContentRoutes(new SetRuns(database)),
                new AdminTokenRoutes(new TokenAdmin(database, clock)));
        Grant edge = new Grant("1", "edge-01", List.of("*"), Instant.EPOCH, null, null);
        return new HttpServer("127.0.0.1", 0, modules,
                new Authenticator(new Settings.Secret(ADMIN), token -> Optional.empty(),
                        token -> token.equals(EDGE) ? Optional.of(edge) : Optional.empty()),
                meters, "test-1-abcd");
    }

    @BeforeEach
    void start() throws Exception {
        server = newServer(database);
        server.start();
    }

    @AfterEach
    void stop() {
        http.close();
        server.stop(Duration.ZERO);
        meters.close();
        database.stop(Duration.ZERO);
    }

    @ParameterizedTest
    @CsvSource({"GET,/v1/admin/sets", "GET,/v1/admin/sets/a", "PUT,/v1/admin/sets/a", "DELETE,/v1/admin/sets/a",
            "GET,/v1/admin/jobs", "GET,/v1/admin/jobs/a", "GET,/v1/admin/jobs/a/runs", "POST,/v1/admin/jobs/a/runs",
            "GET,/v1/admin/jobs/a/runs/1", "POST,/v1/admin/jobs/a/pause", "POST,/v1/admin/jobs/a/resume",
            "GET,/v1/admin/processes", "POST,/v1/admin/tokens", "GET,/v1/admin/tokens", "DELETE,/v1/admin/tokens/a"})
    void everyRoute_withoutTheOperatorsToken_isRefused(String method, String path) throws Exception {
        HttpResponse<String> none = send(method, path, null, "{}");
        assertThat(none.statusCode()).isEqualTo(401);
        assertThat(none.headers().firstValue("WWW-Authenticate"))
                .hasValueSatisfying(v -> assertThat(v).startsWith("Bearer"));
        problem(none, 401, "unauthenticated");
        problem(send(method, path, "no-such-token", "{}"), 401, "unauthenticated");
        problem(send(method, path, EDGE, "{}"), 403, "forbidden");
    }

    @Test
    void put_createsThenChangesThenLeaves() throws Exception {
        HttpResponse<String> created = put("firewall", SET);
        assertThat(created.statusCode()).isEqualTo(201);
        assertThat(created.headers().firstValue("Location")).hasValue("/v1/admin/sets/firewall");
        assertThat(json.readTree(created.body()).path("change").asText()).isEqualTo("created");
        assertThat(json.readTree(put("firewall", SET).body()).path("change").asText()).isEqualTo("unchanged");
        HttpResponse<String> changed = put("firewall", SET.replace("0 0 4", "0 0 5"));
        assertThat(changed.statusCode()).isEqualTo(200);
        assertThat(json.readTree(changed.body()).path("change").asText()).isEqualTo("changed");
        assertThat(List.of(created.body(), changed.body(), get("/v1/admin/sets/firewall").toString(),
                get("/v1/admin/sets").toString())).noneMatch(text -> text.contains("hush"));
    }

    @Test
    void get_whatWasGotPutBack_changesNothing() throws Exception {
        put("firewall", SET);
        JsonNode got = get("/v1/admin/sets/firewall");
        assertThat(got.path("set").asText()).isEqualTo("firewall");
        JsonNode again = json.readTree(put("firewall", got.path("definition").toString()).body());
        assertThat(again.path("change").asText()).isEqualTo("unchanged");
    }

    @Test
    void put_wrongDefinition_is422WithAllComplaints() throws Exception {
        HttpResponse<String> answer = put("firewall",
                "{\"source\":{\"url\":\"ftp://x\"},\"schedule\":\"61 * * * * *\",\"surprise\":true}");
        assertThat(problem(answer, 422, "invalid-definition").path("detail").asText()).contains("source.url")
                .contains("61 * * * * *").contains("surprise is unknown");
        problem(put("Upper", SET), 422, "invalid-definition");
    }

    @Test
    void put_bodyThatIsNotStrictJson_isRefusedWithThePlace() throws Exception {
        assertThat(problem(put("firewall", "{\n \"source\": }"), 400, "invalid-request").path("detail").asText())
                .contains("line 2");
        assertThat(problem(put("firewall", "{\"zone\":\"UTC\",\"zone\":\"UTC\"}"), 400, "invalid-request")
                .path("detail").asText()).contains("zone");
        problem(put("firewall", ""), 400, "invalid-request");
        problem(put("firewall", SET + "x"), 400, "invalid-request");
    }

    @Test
    void put_bodyTooLargeOrOfAnotherType_isRefused() throws Exception {
        problem(put("firewall", "{\"a\":\"" + "x".repeat(1 << 20) + "\"}"), 413, "too-large");
        problem(http.send(request("/v1/admin/sets/firewall", ADMIN).header("Content-Type", "application/yaml")
                .PUT(HttpRequest.BodyPublishers.ofString("a: 1")).build(), HttpResponse.BodyHandlers.ofString()), 415,
                "unsupported-media-type");
    }

    @Test
    void delete_onceAndAgain_is204Then404() throws Exception {
        put("firewall", SET);
        assertThat(send("DELETE", "/v1/admin/sets/firewall", ADMIN, null).statusCode()).isEqualTo(204);
        problem(send("DELETE", "/v1/admin/sets/firewall", ADMIN, null), 404, "not-found");
        problem(send("GET", "/v1/admin/sets/firewall", ADMIN, null), 404, "not-found");
        assertThat(get("/v1/admin/jobs").path("jobs")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/admin/sets/%01", "/v1/admin/sets/a%2Fb", "/v1/admin/sets/%F0%9F%90%91",
            "/v1/admin/jobs/%01/runs", "/v1/admin/jobs/firewall/runs", "/v1/admin/jobs/firewall/runs/1",
            "/v1/admin/jobs/firewall/runs/x", "/v1/admin/nothing", "/v1/admin/sets/firewall/candidates"})
    void get_whatIsNotThere_is404(String path) throws Exception {
        problem(send("GET", path, ADMIN, null), 404, "not-found");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/admin/sets/firewall/candidates/00/approve",
            "/v1/admin/jobs/firewall/runs"})
    void post_whatIsNotThere_is404(String path) throws Exception {
        problem(send("POST", path, ADMIN, "{}"), 404, "not-found");
    }

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

    @Test
    void tokens_createdListedAndRevoked_showTheirSecretOnce() throws Exception {
        HttpResponse<String> created = send("POST", "/v1/admin/tokens", ADMIN,
                "{\"server\":\"edge-01\",\"sets\":[\"firewall\",\"geo-*\"],\"expiresAt\":\"2999-01-01T00:00:00Z\"}");
        assertThat(created.statusCode()).isEqualTo(201);
        JsonNode token = json.readTree(created.body());
        BearerToken parsed = BearerToken.parse(token.path("token").asText()).orElseThrow();
        assertThat(parsed.id()).isEqualTo(token.path("id").asText());
        String list = get("/v1/admin/tokens").toString();
        assertThat(list).contains(parsed.id()).contains("geo-*").doesNotContain(parsed.secret());
        String path = "/v1/admin/tokens/" + parsed.id();
        assertThat(send("DELETE", path, ADMIN, null).statusCode()).isEqualTo(204);
        assertThat(send("DELETE", path, ADMIN, null).statusCode()).as("again").isEqualTo(204);
        problem(send("DELETE", "/v1/admin/tokens/0123456789ab", ADMIN, null), 404, "not-found");
        assertThat(get("/v1/admin/tokens").path("tokens").path(0).path("revokedAt").isTextual()).isTrue();
    }

    @Test
    void token_wrong_saysEverythingThatIsWrong() throws Exception {
        JsonNode problem = problem(send("POST", "/v1/admin/tokens", ADMIN,
                "{\"server\":\" \",\"sets\":[\"*fire\"],\"expiresAt\":\"2001-01-01T00:00:00Z\"}"), 400,
                "invalid-request");
        assertThat(problem.path("detail").asText()).contains("expiresAt").contains("'*fire'")
                .contains("server must be");
        assertThat(problem(send("POST", "/v1/admin/tokens", ADMIN, "{\"set\":[],\"sets\":\"a\"}"), 400,
                "invalid-request").path("detail").asText()).contains("set is unknown").contains("server is required")
                .contains("sets must be a list");
    }

    @Test
    void processes_seenLately_areListed() throws Exception {
        database.<Integer, RuntimeException>inTransaction("test", Duration.ofSeconds(5), connection -> {
            try (PreparedStatement insert = connection.prepareStatement("""
                    insert into process values ('a-1-ffff', 7001, now(), now(), '{"firewall": 3}', -7, 'redis'),
                        ('gone-1-ffff', 7002, now(), now() - interval '1 hour', '{}', null, null)""")) {
                return insert.executeUpdate();
            }
        });
        JsonNode processes = get("/v1/admin/processes").path("processes");
        assertThat(processes).hasSize(1);
        assertThat(processes.path(0).path("name").asText()).isEqualTo("a-1-ffff");
        assertThat(processes.path(0).path("heads").path("firewall").asInt()).isEqualTo(3);
        assertThat(processes.path(0).path("clockOffsetMs").asInt()).isEqualTo(-7);
    }

    @Test
    void anyRoute_whileTheDatabaseIsAway_is503WithRetryAfter() throws Exception {
        server.stop(Duration.ZERO);
        Database away = TestPostgres.open(new Settings.Database("jdbc:postgresql://127.0.0.1:1/none", "nobody",
                new Settings.Secret(""), 4));
        server = newServer(away);
        server.start();
        HttpResponse<String> answer = send("GET", "/v1/admin/sets", ADMIN, null);
        problem(answer, 503, "unavailable");
        assertThat(answer.headers().firstValue("Retry-After")).isPresent();
        away.stop(Duration.ZERO);
    }

    private HttpResponse<String> put(String set, String body) throws Exception {
        return send("PUT", "/v1/admin/sets/" + set, ADMIN, body);
    }

    private HttpResponse<String> runNow(String job, String key) throws Exception {
        return http.send(request("/v1/admin/jobs/" + job + "/runs", ADMIN).header("Idempotency-Key", key)
                .POST(HttpRequest.BodyPublishers.noBody()).build(), HttpResponse.BodyHandlers.ofString());
    }

    private JsonNode get(String path) throws Exception {
        HttpResponse<String> answer = send("GET", path, ADMIN, null);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Cache-Control")).hasValue("no-store");
        return json.readTree(answer.body());
    }

    private HttpResponse<String> send(String method, String path, @Nullable String token,
            @Nullable String body) throws Exception {
        HttpRequest.Builder request = request(path, token).method(method, body == null
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofString(body));
        if (body != null) {
            request.header("Content-Type", "application/json; charset=utf-8");
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path, @Nullable String token) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                .timeout(Duration.ofSeconds(20));
        return token == null ? request : request.header("Authorization", "Bearer " + token);
    }

    private JsonNode problem(HttpResponse<String> answer, int status, String type) throws Exception {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        JsonNode problem = json.readTree(answer.body());
        assertThat(problem.path("type").asText()).endsWith("/" + type);
        assertThat(problem.path("status").asInt()).isEqualTo(status);
        assertThat(problem.path("detail").asText()).isNotBlank();
        return problem;
    }
}
