package io.bellwether.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import io.bellwether.admin.ProcessList;
import io.bellwether.admin.SetAdmin;
import io.bellwether.admin.SetRuns;
import io.bellwether.admin.TokenAdmin;
import io.bellwether.database.Database;
import io.bellwether.fleet.Grant;
import io.bellwether.lease.JobControl;
import io.bellwether.lease.JobQueries;
import io.bellwether.settings.Settings;
import io.bellwether.telemetry.Meters;
import io.bellwether.testing.TestPostgres;

/** A server with the operators' interface on a database of its own, and a client of it. */
abstract class AdminFixture {
    static final String ADMIN = "the-admin-token-of-the-test";
    static final String EDGE = "edge-token";
    static final String SET = """
            {"source": {"url": "https://feeds.example/a", "headers": {"Authorization": "hush"}},
             "schedule": "0 0 4 * * *"}""";

    final ObjectMapper json = new ObjectMapper();
    final Database database = TestPostgres.open(TestPostgres.freshDatabase());
    private final Meters meters = new Meters();
    final HttpClient http = HttpClient.newHttpClient();
    HttpServer server;

    HttpServer newServer(Database database) {
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

    HttpResponse<String> put(String set, String body) throws Exception {
        return send("PUT", "/v1/admin/sets/" + set, ADMIN, body);
    }

    JsonNode get(String path) throws Exception {
        HttpResponse<String> answer = send("GET", path, ADMIN, null);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Cache-Control")).hasValue("no-store");
        return json.readTree(answer.body());
    }

    HttpResponse<String> send(String method, String path, @Nullable String token,
            @Nullable String body) throws Exception {
        HttpRequest.Builder request = request(path, token).method(method, body == null
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofString(body));
        if (body != null) {
            request.header("Content-Type", "application/json; charset=utf-8");
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    HttpRequest.Builder request(String path, @Nullable String token) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                .timeout(Duration.ofSeconds(20));
        return token == null ? request : request.header("Authorization", "Bearer " + token);
    }

    JsonNode problem(HttpResponse<String> answer, int status, String type) throws Exception {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        JsonNode problem = json.readTree(answer.body());
        assertThat(problem.path("type").asText()).endsWith("/" + type);
        assertThat(problem.path("status").asInt()).isEqualTo(status);
        assertThat(problem.path("detail").asText()).isNotBlank();
        return problem;
    }
}
