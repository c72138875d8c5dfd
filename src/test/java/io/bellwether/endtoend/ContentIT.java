package io.bellwether.endtoend;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator does to the content of a set, through nginx, with four processes. */
class ContentIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String NEVER = "0 0 0 1 1 *";
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;
    @SuppressWarnings("NullAway.Init")
    private Api api;
    @SuppressWarnings("NullAway.Init")
    private Path feed;

    @BeforeEach
    void cluster() throws Exception {
        api = new Api(SharedCluster.get());
        feed = folder.toRealPath().resolve("feed.ndjson");
    }

    @Test
    void badFeeds_changeNothing_andAnApprovalByHashLetsOneThroughOnce() throws Exception {
        String set = "guarded";
        serve(lines(0, 100, 1));
        api.put(set, feed.toUri().toString(), NEVER, true);
        assertThat(run(set).path("state").asText()).isEqualTo("published");
        byte[] good = bytes(lines(0, 100, 2));
        Map<String, byte[]> bad = new LinkedHashMap<>();
        bad.put("[]", bytes("[]"));
        bad.put("half", bytes(lines(0, 50, 2)));
        bad.put("HTML", bytes("<html><body>Service unavailable</body></html>"));
        bad.put("0 bytes", new byte[0]);
        bad.put("cut NDJSON", Arrays.copyOf(good, good.length - 3));
        bad.put("a key twice", bytes(lines(0, 100, 2) + lines(7, 8, 3)));
        for (Map.Entry<String, byte[]> one : bad.entrySet()) {
            serve(one.getValue());
            JsonNode run = run(set);
            assertThat(run.path("state").asText()).as(one.getKey()).isEqualTo("refused");
            assertThat(run.path("reason").asText()).as(one.getKey()).isNotBlank();
            assertThat(api.json("/v1/sets/" + set).path("revision").asLong()).as(one.getKey()).isEqualTo(1);
        }
        assertThat(api.json("/v1/admin/sets/" + set + "/candidates").path("candidates")).hasSize(4);

        serve(bytes("[]"));
        String hash = run(set).path("candidate").asText();
        String approve = "/v1/admin/sets/" + set + "/candidates/" + hash + "/approve";
        JsonNode approved = finished(set, json(api.post(approve, "{}"), 202));
        assertThat(approved.path("state").asText()).isEqualTo("published");
        assertThat(approved.path("deletes").asLong()).isEqualTo(100);
        assertThat(api.verifiedLines(set, 2)).isEmpty();
        assertThat(api.post(approve, "{}").statusCode()).isEqualTo(409);
        serve(good);
        assertThat(run(set).path("revision").asLong()).isEqualTo(3);
        serve(bytes("[]"));
        assertThat(run(set).path("state").asText()).isEqualTo("refused");
        assertThat(api.verifiedLines(set, 3)).hasSize(100);
    }

    @Test
    void rollback_isANewRevision_followedByChanges_andHoldsUntilResumed() throws Exception {
        String set = "rolled-back";
        serve(lines(0, 200, 1));
        api.put(set, feed.toUri().toString(), "* * * * * *", true);
        eventually("a first revision", LIMIT, () -> revision(set) == 1);
        serve(lines(0, 150, 2) + lines(150, 160, 1));
        eventually("a second one", LIMIT, () -> revision(set) == 2);
        List<String> bad = api.verifiedLines(set, 2);

        JsonNode done = json(api.post("/v1/admin/sets/" + set + "/rollback", "{\"to\":1,\"reason\":\"a test\"}"),
                201);
        assertThat(done.path("revision").asLong()).isEqualTo(3);
        assertThat(revision(set)).isEqualTo(3);
        assertThat(api.verifiedLines(set, 3)).isEqualTo(api.verifiedLines(set, 1));
        assertThat(api.json("/v1/sets/" + set + "/manifest").path("contentSha256"))
                .isEqualTo(api.json("/v1/sets/" + set + "/revisions/1/manifest").path("contentSha256"));
        assertThat(applied(bad, changes(set, 2))).isEqualTo(api.verifiedLines(set, 3));
        assertThat(applied(api.verifiedLines(set, 1), changes(set, 1))).isEqualTo(api.verifiedLines(set, 3));
        assertThat(applied(List.of(), changes(set, 0))).isEqualTo(api.verifiedLines(set, 3));
        assertThat(api.post("/v1/admin/sets/" + set + "/rollback", "{\"to\":3}").statusCode()).isEqualTo(409);

        // The source has the bad content still; ticks go by, and nothing comes of them.
        JsonNode job = api.json("/v1/admin/jobs/" + set);
        assertThat(job.path("pauseReason").asText()).startsWith("rolled back to revision 1");
        eventually("a tick of the pause", LIMIT,
                () -> api.runs(set).getFirst().path("state").asText().equals("paused"));
        assertThat(revision(set)).isEqualTo(3);
        assertThat(api.post("/v1/admin/jobs/" + set + "/resume", "{}").statusCode()).isEqualTo(200);
        eventually("the source is followed again", LIMIT, () -> revision(set) == 4);
        assertThat(api.verifiedLines(set, 4)).isEqualTo(bad);
        api.put(set, feed.toUri().toString(), NEVER, false);
    }

    private long revision(String set) throws Exception {
        HttpResponse<byte[]> answer = api.get("/v1/sets/" + set);
        return answer.statusCode() == 404 ? 0 : JSON.readTree(answer.body()).path("revision").asLong();
    }

    private List<JsonNode> changes(String set, long since) throws Exception {
        List<JsonNode> lines = new ArrayList<>();
        for (String line : new String(api.get("/v1/sets/" + set + "/changes?since=" + since).body(),
                StandardCharsets.UTF_8).lines().toList()) {
            lines.add(JSON.readTree(line));
        }
        assertThat(lines.getLast().path("end").asBoolean()).isTrue();
        return lines.subList(1, lines.size() - 1);
    }

    private static List<String> applied(List<String> lines, List<JsonNode> changes) throws Exception {
        TreeMap<String, String> state = new TreeMap<>();
        for (String line : lines) {
            state.put(JSON.readTree(line).path("key").asText(), line);
        }
        for (JsonNode change : changes) {
            String key = change.path("key").asText();
            if (change.path("op").asText().equals("del")) {
                state.remove(key);
            } else {
                state.put(key, "{\"key\":" + change.path("key") + ",\"body\":" + change.path("body") + "}");
            }
        }
        return List.copyOf(state.values());
    }

    private JsonNode run(String set) throws Exception {
        return finished(set, json(api.post("/v1/admin/jobs/" + set + "/runs", "{}"), 202));
    }

    private JsonNode finished(String set, JsonNode run) throws Exception {
        String path = "/v1/admin/jobs/" + set + "/runs/" + run.path("id").asLong();
        eventually("the run's end", LIMIT, () -> !api.json(path).path("finishedAt").isNull());
        return api.json(path);
    }

    private static JsonNode json(HttpResponse<byte[]> answer, int status) throws Exception {
        assertThat(answer.statusCode()).as(new String(answer.body(), StandardCharsets.UTF_8)).isEqualTo(status);
        return JSON.readTree(answer.body());
    }

    private void serve(String text) throws Exception {
        serve(bytes(text));
    }

    private void serve(byte[] content) throws Exception {
        Path part = folder.resolve("part");
        Files.write(part, content);
        Files.move(part, feed, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String lines(int from, int to, int version) {
        StringBuilder lines = new StringBuilder();
        IntStream.range(from, to)
                .forEach(i -> lines.append("{\"key\":\"k" + i + "\",\"body\":{\"v\":" + version + "}}\n"));
        return lines.toString();
    }
}
