package io.bellwether.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChangesHttpTest {
    private ServingFixture serving;

    @BeforeEach
    void start(@TempDir Path dataDir) throws Exception {
        serving = new ServingFixture(dataDir);
    }

    @AfterEach
    void stop() throws Exception {
        serving.close();
    }

    /** Applies a feed to what a client holds, checking its form. */
    private Map<String, String> apply(long since, Map<String, String> held) throws Exception {
        RawHttp.Answer answer = serving.get("/v1/sets/firewall/changes?since=" + since);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("content-type")).isEqualTo("application/x-ndjson");
        List<String> lines = new ArrayList<>(Arrays.asList(answer.text().split("\n", -1)));
        assertThat(lines.removeLast()).isEmpty();
        JsonNode first = Json.read(ServingFixture.bytes(lines.removeFirst()));
        JsonNode last = Json.read(ServingFixture.bytes(lines.removeLast()));
        assertThat(first.path("from").asLong()).isEqualTo(since);
        assertThat(first.path("to").asLong()).isEqualTo(serving.firewall.revision());
        assertThat(first.path("epoch").asText()).isEqualTo(answer.header("bellwether-epoch"));
        assertThat(last.path("end").asBoolean()).isTrue();
        assertThat(last.path("next").asLong()).isEqualTo(serving.firewall.revision());
        assertThat(last.path("count").asInt()).isEqualTo(lines.size());
        assertThat(last.path("policies").asInt()).isEqualTo(serving.firewall.content().size());
        assertThat(last.path("contentSha256").asText())
                .isEqualTo(serving.firewall.manifest().contentSha256().hex());
        Map<String, String> result = new HashMap<>(held);
        byte[] before = {};
        for (String line : lines) {
            JsonNode json = Json.read(ServingFixture.bytes(line));
            String key = json.path("key").asText();
            byte[] bytes = ServingFixture.bytes(key);
            assertThat(Arrays.compareUnsigned(before, bytes)).as("order at %s", key).isNegative();
            before = bytes;
            if (json.path("op").asText().equals("put")) {
                // The body byte for byte, not as a parser would write it again.
                result.put(key, line.substring(line.indexOf(",\"body\":") + 8, line.length() - 1));
            } else {
                assertThat(json.path("op").asText()).isEqualTo("del");
                result.remove(key);
            }
        }
        return result;
    }

    @Test
    void changes_fromEveryKeptRevision_leadToTheHead() throws Exception {
        Random random = new Random(11);
        List<Map<String, String>> history = new ArrayList<>();
        history.add(Map.of());
        Map<String, String> content = new TreeMap<>();
        for (int step = 0; step < 12; step++) {
            for (int i = 0; i < 40; i++) {
                String key = "k-" + random.nextInt(150) + (random.nextInt(9) == 0 ? "/ü\"\\\u0001" : "");
                if (random.nextInt(3) == 0) {
                    content.remove(key);
                } else {
                    content.put(key, "{ \"n\" :" + random.nextInt(5) + ", \"t\":\"\\u0000,é\"}");
                }
            }
            // Now and then without a delta: the manifests are compared then.
            serving.firewall.publish(content, step % 4 != 3);
            history.add(new HashMap<>(content));
        }
        for (int since = 0; since < history.size(); since++) {
            assertThat(apply(since, history.get(since))).as("since %d", since).isEqualTo(content);
        }
    }

    // A process that is stopped between an answer and what ends it leaves the client waiting: there is no such moment.
    @Test
    void changes_few_areSentWholeAndWithTheirLength() throws Exception {
        Map<String, String> content = new TreeMap<>();
        for (int i = 0; i < 500; i++) {
            content.put("k-" + i, "{\"n\": " + i + "}");
        }
        serving.firewall.publish(content);
        for (int since = 0; since <= 1; since++) {
            RawHttp.Answer answer = serving.get("/v1/sets/firewall/changes?since=" + since);
            assertThat(answer.header("content-length")).isEqualTo("" + answer.body().length);
            assertThat(answer.headers()).doesNotContainKey("transfer-encoding");
        }
        content.put("large", "\"" + "x".repeat(100_000) + "\"");
        serving.firewall.publish(content);
        assertThat(serving.get("/v1/sets/firewall/changes?since=0").header("transfer-encoding")).isEqualTo("chunked");
    }

    @Test
    void changes_largeDeltas_areComparedByManifest() throws Exception {
        // Five revisions of 2 MB each are more than are merged in memory.
        Map<String, String> content = new TreeMap<>();
        List<Map<String, String>> history = new ArrayList<>();
        for (int step = 0; step < 5; step++) {
            for (int i = 0; i < 200; i++) {
                content.put("big-" + i, "\"" + Character.toString('a' + step).repeat(10_000) + i + "\"");
            }
            content.remove("big-" + step);
            serving.firewall.publish(content);
            history.add(new HashMap<>(content));
        }
        for (int since = 1; since <= 5; since++) {
            assertThat(apply(since, history.get(since - 1))).as("since %d", since).isEqualTo(content);
        }
    }

    @Test
    void changes_sinceTheHead_areNone() throws Exception {
        serving.firewall.publish(Map.of("a", "1"));
        assertThat(apply(1, Map.of("a", "1"))).isEqualTo(Map.of("a", "1"));
        assertThat(serving.get("/v1/sets/firewall/changes?since=1",
                "If-None-Match: " + serving.tag(serving.firewall)).status()).isEqualTo(304);
    }

    @Test
    void changes_sinceARevisionNotKept_areGone() throws Exception {
        for (int i = 0; i < 4; i++) {
            serving.firewall.publish(Map.of("a", Integer.toString(i)));
        }
        serving.firewall.retainFrom(3);
        RawHttp.Answer gone = serving.get("/v1/sets/firewall/changes?since=2");
        assertThat(gone.status()).isEqualTo(410);
        assertThat(gone.text()).contains("/problems/revision-gone");
        assertThat(serving.get("/v1/sets/firewall/changes?since=1", "Prefer: wait=5").status()).isEqualTo(410);
        assertThat(apply(3, Map.of("a", "2"))).isEqualTo(Map.of("a", "3"));
        assertThat(apply(0, Map.of())).isEqualTo(Map.of("a", "3"));
        for (String bad : List.of("", "?since=", "?since=x", "?since=-1", "?since=9999999999999999999")) {
            assertThat(serving.get("/v1/sets/firewall/changes" + bad).status()).as(bad).isEqualTo(400);
        }
    }

    @Test
    void changes_sinceARevisionKeptAsAChange_areItsDeltasMerged() throws Exception {
        List<Map<String, String>> history = new ArrayList<>();
        Map<String, String> content = new TreeMap<>();
        for (int step = 0; step < 8; step++) {
            for (int i = 0; i < 20; i++) {
                content.put("k-" + (i * 7 + step) % 60, "" + step);
            }
            content.remove("k-" + step);
            // The changes of the second revision are not kept: nothing leads from the first any more.
            serving.firewall.publish(content, step != 1);
            history.add(new HashMap<>(content));
        }
        serving.firewall.keepContentsFrom(6);
        for (int since = 2; since <= 8; since++) {
            assertThat(apply(since, history.get(since - 1))).as("since %d", since).isEqualTo(content);
        }
        RawHttp.Answer gone = serving.get("/v1/sets/firewall/changes?since=1");
        assertThat(gone.status()).isEqualTo(410);
        assertThat(gone.text()).contains("/problems/revision-gone", "kept as a change only",
                "the oldest whose contents are kept is 6");
    }

    @Test
    void changes_sinceARevisionKeptAsAChangeWithMuchToTell_areLookedUpInTheHead() throws Exception {
        Map<String, String> content = new TreeMap<>();
        List<Map<String, String>> history = new ArrayList<>();
        for (int i = 0; i < 800; i++) {
            content.put("big-" + i, "\"" + "-".repeat(10_000) + i + "\"");
        }
        for (int step = 0; step < 10; step++) {
            for (int i = 0; i < 160; i++) {
                content.put("big-" + (step * 70 + i) % 800,
                        "\"" + Character.toString('a' + step).repeat(10_000) + i + "\"");
            }
            content.remove("big-" + step * 70);
            content.remove("big-799");
            content.put("a-" + step, "1");
            serving.firewall.publish(content);
            history.add(new HashMap<>(content));
        }
        serving.firewall.keepContentsFrom(9);
        // 1.6 MB of 8 MB changed each time: nine times that is more than is merged, and less than twice the set.
        for (int since = 1; since <= 10; since++) {
            assertThat(apply(since, history.get(since - 1))).as("since %d", since).isEqualTo(content);
        }
        Map<String, String> small = new TreeMap<>(Map.of("a-0", "1"));
        serving.firewall.publish(small);
        assertThat(apply(2, history.get(1))).isEqualTo(small);
        assertThat(apply(10, content)).isEqualTo(small);
    }

    @Test
    void changes_sinceARevisionOfAnotherEpoch_areGone() throws Exception {
        // Revision 1 of the epoch before was taken for revision 1 of this one.
        serving.firewall.publish(Map.of("a", "1"));
        serving.firewall.publish(Map.of("a", "2"));
        String before = serving.get("/v1/sets/firewall").header("bellwether-epoch");
        assertThat(serving.get("/v1/sets/firewall/changes?since=1&epoch=" + before).status()).isEqualTo(200);
        assertThat(serving.get("/v1/sets/firewall/changes?since=3&epoch=" + before).status()).isEqualTo(503);
        serving.execute("update instance set epoch = gen_random_uuid(), heads_version = heads_version + 1");
        for (String since : List.of("1", "2", "3")) {
            RawHttp.Answer gone = serving.get("/v1/sets/firewall/changes?since=" + since + "&epoch=" + before);
            assertThat(gone.status()).as(since).isEqualTo(410);
            assertThat(gone.text()).contains("/problems/revision-gone", "the epoch changed");
        }
        String field = "Bellwether-Epoch: " + before;
        assertThat(serving.get("/v1/sets/firewall/changes?since=2", field, "Prefer: wait=9").status()).isEqualTo(410);
        assertThat(serving.get("/v1/sets/firewall/changes?since=0", field).status()).isEqualTo(200);
        assertThat(serving.get("/v1/sets/firewall", "Bellwether-Min-Revision: 3").status()).isEqualTo(503);
        assertThat(serving.get("/v1/sets/firewall", "Bellwether-Min-Revision: 3", field).status()).isEqualTo(200);
        assertThat(serving.get("/v1/sets/firewall/changes?since=1&epoch=x").status()).isEqualTo(400);
    }

    @Test
    void policy_byItsKey_isItsLine() throws Exception {
        Map<String, String> content = new TreeMap<>();
        for (String key : List.of("a", "a/b", "a//b", "ü ?#%", "\"\\\t", "🐑", "..", "k".repeat(512), "z")) {
            content.put(key, "{\"of\":  \"" + key.length() + "\"}");
        }
        serving.firewall.publish(content);
        for (String key : content.keySet()) {
            RawHttp.Answer answer = serving.get("/v1/sets/firewall/policies/" + encode(key));
            assertThat(answer.status()).as(key).isEqualTo(200);
            assertThat(answer.header("content-type")).isEqualTo("application/json");
            assertThat(Json.read(answer.body()).path("key").asText()).isEqualTo(key);
            assertThat(answer.text()).as(key).endsWith(",\"body\":" + content.get(key) + "}");
            assertThat(serving.get("/v1/sets/firewall/policies/" + encode(key),
                    "If-None-Match: " + answer.header("etag")).status()).as(key).isEqualTo(304);
        }
        for (String none : List.of("0", "b", "zz", "a/", "k".repeat(511), "k".repeat(513))) {
            assertThat(serving.get("/v1/sets/firewall/policies/" + encode(none)).status()).as(none).isEqualTo(404);
        }
        String tag = serving.get("/v1/sets/firewall/policies/z").header("etag");
        Map<String, String> without = new TreeMap<>(content);
        without.remove("z");
        serving.firewall.publish(without);
        assertThat(serving.get("/v1/sets/firewall/policies/z", "If-None-Match: " + tag).status()).isEqualTo(404);
        assertThat(serving.get("/v1/sets/firewall/policies/z", "If-None-Match: *").status()).isEqualTo(404);
    }

    private static String encode(String key) {
        StringBuilder encoded = new StringBuilder();
        for (byte b : key.getBytes(StandardCharsets.UTF_8)) {
            encoded.append((b >= 'a' && b <= 'z') ? Character.toString(b) : String.format(Locale.ROOT, "%%%02X", b));
        }
        return encoded.toString();
    }

    @Test
    void pages_ofAnyPrefix_areAllPoliciesInOrderOnce() throws Exception {
        Map<String, String> content = new TreeMap<>();
        for (int i = 0; i < 120; i++) {
            content.put((i % 3 == 0 ? "geo/" : i % 3 == 1 ? "geo" : "net/") + i, "{\"i\": " + i + "}");
        }
        serving.firewall.publish(content);
        for (String prefix : List.of("", "geo", "geo/", "geo/1", "net/4", "zzz", "a")) {
            for (int limit : new int[]{1, 7, 100, 1000}) {
                if (limit == 1 && prefix.length() < 5) {
                    continue;
                }
                List<String> expected = content.keySet().stream().filter(k -> k.startsWith(prefix)).toList();
                assertThat(pages(prefix, limit)).as(prefix + " by " + limit).isEqualTo(expected);
            }
        }
        RawHttp.Answer page = serving.get("/v1/sets/firewall/policies?limit=2");
        assertThat(page.text()).contains("{\"key\":\"geo/0\",\"body\":{\"i\": 0}}");
        assertThat(serving.get("/v1/sets/firewall/policies?limit=0").status()).isEqualTo(400);
        assertThat(serving.get("/v1/sets/firewall/policies?limit=1001").status()).isEqualTo(400);
    }

    @Test
    void page_ofLargePolicies_endsEarly() throws Exception {
        Map<String, String> content = new TreeMap<>();
        for (int i = 10; i < 40; i++) {
            content.put("k" + i, "\"" + "x".repeat(100_000) + "\"");
        }
        serving.firewall.publish(content);
        assertThat(serving.get("/v1/sets/firewall/policies").body().length).isLessThan(1_300_000);
        assertThat(pages("k", 100)).containsExactlyElementsOf(content.keySet());
    }

    private List<String> pages(String prefix, int limit) throws Exception {
        List<String> keys = new ArrayList<>();
        String after = "";
        while (true) {
            JsonNode page = Json.read(serving
                    .get("/v1/sets/firewall/policies?prefix=" + encode(prefix) + "&limit=" + limit + "&after="
                            + encode(after))
                    .body());
            assertThat(page.path("count").asInt()).isEqualTo(page.path("policies").size()).isLessThanOrEqualTo(limit);
            assertThat(page.path("revision").asLong()).isEqualTo(1);
            page.path("policies").forEach(policy -> keys.add(policy.path("key").asText()));
            if (page.path("next").isNull()) {
                return keys;
            }
            after = page.path("next").asText();
            assertThat(after).isEqualTo(keys.getLast());
        }
    }
}
