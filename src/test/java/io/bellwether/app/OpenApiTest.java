package io.bellwether.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.bellwether.fault.FaultKind;
import io.bellwether.settings.Settings;

/** The description against the routes of a real process, which needs neither database nor Redis for that. */
class OpenApiTest {
    private static final Pattern PARAMETER = Pattern.compile("\\{([a-z0-9]+)}");
    private static final Set<String> METHODS = Set.of("get", "put", "post", "delete");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path dir;
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @SuppressWarnings("NullAway.Init")
    private static ServerProcess process;

    @BeforeAll
    static void start() throws Exception {
        process = new ServerProcess(new Settings(0, "127.0.0.1",
                new Settings.Database("jdbc:postgresql://127.0.0.1:1/x", "u", new Settings.Secret(""), 4),
                new Settings.Redis(List.of(URI.create("redis://127.0.0.1:1")), new Settings.Secret(""), null),
                new Settings.Secret("0123456789abcdef"), dir, Duration.ofSeconds(30), Duration.ZERO, List.of(),
                Duration.ofSeconds(5)));
        process.start();
    }

    @AfterAll
    static void stop() {
        process.stop();
        CLIENT.close();
    }

    private static HttpResponse<String> get(String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + process.port() + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void openApi_operations_areTheRoutesAndTheirParameters() throws Exception {
        HttpResponse<String> answer = get("/v1/openapi.json");
        assertThat(answer.statusCode()).isEqualTo(200);
        JsonNode api = new ObjectMapper().readTree(answer.body());
        Set<String> described = new TreeSet<>();
        api.path("paths").properties().forEach(path -> path.getValue().fieldNames().forEachRemaining(member -> {
            if (METHODS.contains(member)) {
                described.add(member.toUpperCase(Locale.ROOT) + " " + path.getKey());
                assertThat(parameters(api, path.getValue(), path.getValue().path(member)))
                        .as("%s %s", member, path.getKey()).containsExactlyInAnyOrderElementsOf(named(path.getKey()));
            }
        }));
        assertThat(described).containsExactlyInAnyOrderElementsOf(
                process.routes().stream().filter(route -> !route.startsWith("HEAD ")).toList());
        for (String reference : api.findValuesAsText("$ref")) {
            assertThat(api.at(reference.substring(1)).isMissingNode()).as(reference).isFalse();
        }
        String etag = answer.headers().firstValue("ETag").orElseThrow();
        assertThat(get("/v1/openapi.json", "If-None-Match", etag).statusCode()).isEqualTo(304);
    }

    /** The names of the path parameters that an operation declares. */
    private static List<String> parameters(JsonNode api, JsonNode path, JsonNode operation) {
        List<String> names = new ArrayList<>();
        for (JsonNode list : List.of(path.path("parameters"), operation.path("parameters"))) {
            StreamSupport.stream(list.spliterator(), false)
                    .map(one -> one.has("$ref") ? api.at(one.path("$ref").asText().substring(1)) : one)
                    .filter(one -> one.path("in").asText().equals("path"))
                    .forEach(one -> names.add(one.path("name").asText()));
        }
        return names;
    }

    private static List<String> named(String path) {
        return PARAMETER.matcher(path).results().map(found -> found.group(1)).toList();
    }

    @Test
    void problems_everyType_hasAPageThatSaysWhatToDo() throws Exception {
        for (FaultKind kind : FaultKind.values()) {
            HttpResponse<String> page = get("/problems/" + kind.problemType());
            assertThat(page.statusCode()).as(kind.problemType()).isEqualTo(200);
            Matcher paragraphs = Pattern.compile("<h2>[^<]+</h2><p>([^<]{20,})</p>").matcher(page.body());
            assertThat(paragraphs.results()).as(kind.problemType()).hasSize(2);
        }
        HttpResponse<String> none = get("/problems/nothing");
        assertThat(none.statusCode()).isEqualTo(404);
        assertThat(none.body()).contains("\"type\":\"/problems/not-found\"");
        assertThat(get("/problems/not-found").body()).contains("<h1>Not found</h1>", "status 404");
    }
}
