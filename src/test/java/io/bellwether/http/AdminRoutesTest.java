package io.bellwether.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.bellwether.database.Database;
import io.bellwether.fleet.BearerToken;
import io.bellwether.settings.Settings;
import io.bellwether.testing.TestPostgres;

/** Sets, tokens and processes as operators see them, and what holds for every route of theirs. */
class AdminRoutesTest extends AdminFixture {
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
}
