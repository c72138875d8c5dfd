package io.bellwether.http;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.bellwether.policy.Manifest;
import io.bellwether.policy.SegmentRef;

class HeadsHttpTest {
    private static final List<String> OF_A_SET = List.of("/v1/sets/firewall", "/v1/sets/firewall/manifest",
            "/v1/sets/firewall/changes?since=0", "/v1/sets/firewall/policies/a", "/v1/sets/firewall/policies",
            "/v1/sets/firewall/bundle.ndjson.gz", "/v1/sets/firewall/revisions/1/bundle.ndjson.gz",
            "/v1/sets/firewall/revisions/1/manifest");

    private ServingFixture serving;

    @BeforeEach
    void start(@TempDir Path dataDir) throws Exception {
        serving = new ServingFixture(dataDir);
    }

    @AfterEach
    void stop() throws Exception {
        serving.close();
    }

    @Test
    void anyRead_beforeTheFirstPublish_isNotPublishedYet() throws Exception {
        for (String path : OF_A_SET) {
            RawHttp.Answer answer = serving.get(path);
            assertThat(answer.status()).as(path).isEqualTo(404);
            assertThat(answer.text()).as(path).contains("/problems/not-published-yet");
            assertThat(answer.header("retry-after")).as(path).isEqualTo("2");
            assertThat(answer.header("cache-control")).as(path).isEqualTo("no-store");
        }
        assertThat(serving.get("/v1/sets").text()).contains("\"set\":\"firewall\"", "\"revision\":0");
    }

    @Test
    void anyRead_withoutTheRightToken_tellsNothing() throws Exception {
        serving.firewall.publish(Map.of("a", "1"));
        serving.other.publish(Map.of("a", "1"));
        for (String path : OF_A_SET) {
            assertThat(serving.get(path, "Authorization: Bearer wrong").status()).as(path).isEqualTo(401);
            assertThat(serving.get(path, "Authorization: Bearer wrong").headers()).as(path)
                    .doesNotContainKeys("bellwether-revision", "bellwether-epoch", "etag");
            RawHttp.Answer other = serving.get(path.replace("firewall", "other"));
            RawHttp.Answer nowhere = serving.get(path.replace("firewall", "nowhere"));
            assertThat(other.status()).as(path).isEqualTo(403);
            assertThat(other.text()).as(path).isEqualTo(nowhere.text());
            assertThat(other.headers().keySet()).as(path).isEqualTo(nowhere.headers().keySet());
            assertThat(serving.get(path, "Authorization: Bearer operator").status()).as(path).isIn(200, 307);
            assertThat(serving.get(path.replace("firewall", "missing")).status()).as(path).isEqualTo(404);
        }
        String list = serving.get("/v1/sets").text();
        assertThat(list).contains("firewall").doesNotContain("other");
        assertThat(serving.get("/v1/sets", "Authorization: Bearer operator").text()).contains("firewall", "other");
    }

    @Test
    void access_askedByTheProxy_saysWhoMayAndForHowLongThatHolds() throws Exception {
        serving.firewall.publish(Map.of("a", "1"));
        String tag = serving.get("/v1/sets/firewall").header("etag");
        RawHttp.Answer granted = serving.get("/internal/access/firewall");
        assertThat(granted.status()).isEqualTo(204);
        assertThat(granted.headers()).doesNotContainKeys("content-type", "content-length");
        assertThat(granted.header("cache-control")).isEqualTo("max-age=1, stale-if-error=7");
        assertThat(granted.header("bellwether-revision")).isEqualTo("1");
        assertThat(tag).startsWith('"' + granted.header("bellwether-epoch").substring(0, 8));
        for (String refused : List.of("other 403", "nowhere 403", "missing 404")) {
            RawHttp.Answer answer = serving.get("/internal/access/" + refused.substring(0, refused.length() - 4));
            assertThat(answer.status()).isEqualTo(Integer.parseInt(refused.substring(refused.length() - 3)));
            assertThat(answer.header("cache-control")).isEqualTo("no-store");
        }
        assertThat(serving.get("/internal/access/firewall", "Authorization: Bearer wrong").status()).isEqualTo(401);
    }

    @Test
    void head_published_saysWhatTheInterfaceSays() throws Exception {
        serving.firewall.publish(Map.of("a", "1", "b", "{\"x\": 2}"));
        RawHttp.Answer answer = serving.get("/v1/sets/firewall");
        Manifest manifest = serving.firewall.manifest();
        JsonNode json = Json.read(answer.body());
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("etag")).isEqualTo(serving.tag(serving.firewall));
        assertThat(answer.header("cache-control")).isEqualTo("private, no-cache");
        assertThat(answer.header("bellwether-revision")).isEqualTo("1");
        assertThat(answer.header("bellwether-epoch")).isEqualTo(json.path("epoch").asText());
        assertThat(answer.header("bellwether-process")).isEqualTo("test-1-abcd");
        assertThat(answer.headers()).doesNotContainKeys("bellwether-stale", "vary");
        assertThat(json.path("revision").asLong()).isEqualTo(1);
        assertThat(json.path("policies").asLong()).isEqualTo(2);
        assertThat(json.path("bytes").asLong()).isEqualTo(manifest.bytes());
        assertThat(json.path("rawBytes").asLong()).isEqualTo(serving.firewall.lines().length);
        assertThat(json.path("contentSha256").asText()).isEqualTo(manifest.contentSha256().hex());
        assertThat(json.path("publishedAt").asText()).matches("\\d{4}-\\d\\d-\\d\\dT.*Z");
    }

    @Test
    void conditionalGet_anyFormOfTheTag_is304WithTheFieldsOfThe200() throws Exception {
        serving.firewall.publish(Map.of("a", "1", "b", "2"));
        for (String path : List.of("/v1/sets/firewall", "/v1/sets/firewall/manifest", "/v1/sets",
                "/v1/sets/firewall/policies",
                "/v1/sets/firewall/changes?since=0", "/v1/sets/firewall/policies/a",
                "/v1/sets/firewall/revisions/1/manifest", "/v1/sets/firewall/revisions/1/bundle.ndjson.gz")) {
            RawHttp.Answer whole = serving.get(path);
            assertThat(whole.status()).as(path).isEqualTo(200);
            String tag = whole.header("etag");
            assertThat(tag).as(path).matches("\"[^\"]+\"");
            for (String sent : List.of(tag, "W/" + tag, "\"x\", " + tag, "\"x\",W/" + tag + " , \"y\"", "*")) {
                RawHttp.Answer same = serving.get(path, "If-None-Match: " + sent);
                assertThat(same.status()).as(path + " " + sent).isEqualTo(304);
                for (String field : List.of("etag", "cache-control", "bellwether-revision", "bellwether-epoch",
                        "bellwether-process")) {
                    assertThat(same.header(field)).as(path + " " + field).isEqualTo(whole.header(field));
                }
                // They had a Content-Type: text/plain and a Content-Length: 0, of a body that nobody has.
                assertThat(same.headers()).as(path).doesNotContainKeys("content-type", "content-length");
                RawHttp.Answer head = serving.ask("HEAD", path, "If-None-Match: " + sent);
                assertThat(head.status()).as(path).isEqualTo(304);
                assertThat(head.headers().keySet()).as(path).isEqualTo(same.headers().keySet());
            }
            // curl's first request with --etag-compare sends an empty tag.
            for (String sent : List.of("\"\"", "\"x\"", "x", "W/\"x\"", tag.replace("\"", ""), "\"" + tag + "\"x")) {
                if (!sent.contains(tag)) {
                    assertThat(serving.get(path, "If-None-Match: " + sent).status()).as(path + " " + sent)
                            .isEqualTo(200);
                }
            }
            RawHttp.Answer head = serving.ask("HEAD", path);
            assertThat(head.status()).as(path).isEqualTo(200);
            for (String field : List.of("etag", "cache-control", "content-type", "content-length")) {
                // The length of a change feed is known when it has been written, which HEAD does without.
                boolean known = !field.equals("content-length") || !path.contains("changes");
                assertThat(head.header(field)).as(path + " " + field)
                        .isEqualTo(known ? whole.header(field) : "(none)");
            }
        }
    }

    // All servers restart together, each with the tag of what it holds (teleport#6889, opa#5673).
    @Test
    void conditionalGet_ofAWholeFleetAtOnce_is304ForEach() throws Exception {
        serving.firewall.publish(Map.of("a", "1", "b", "2"));
        assertThat(serving.get("/v1/sets/firewall").status()).isEqualTo(200);
        String tag = "If-None-Match: " + serving.tag(serving.firewall);
        try (ExecutorService fleet = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Integer>> answers = Stream
                    .generate(() -> fleet.submit(() -> serving.get("/v1/sets/firewall", tag).status())).limit(500)
                    .toList();
            for (Future<Integer> answer : answers) {
                assertThat(answer.get()).isEqualTo(304);
            }
        }
    }

    @Test
    void head_answeredAheadOfTheRouterOrBehindIt_isTheSame() throws Exception {
        serving.firewall.publish(Map.of("a", "1"));
        serving.firewall.publish(Map.of("a", "2"));
        assertThat(serving.get("/v1/sets/firewall").status()).isEqualTo(200);
        String tag = serving.tag(serving.firewall);
        String epoch = serving.catalog.heads().epoch().toString();
        for (List<String> fields : List.of(List.<String>of(), List.of("If-None-Match: " + tag),
                List.of("If-None-Match: \"x\", W/" + tag), List.of("If-None-Match: \"x\"", "If-None-Match: " + tag),
                List.of("If-None-Match: *"), List.of("If-None-Match: \"x\""), List.of("Prefer: wait=7"),
                List.of("Prefer: wait=0", "If-None-Match: " + tag), List.of("Bellwether-Min-Revision: 2"),
                List.of("Bellwether-Epoch: " + epoch, "If-None-Match: " + tag))) {
            for (String method : List.of("GET", "HEAD")) {
                String[] sent = fields.toArray(new String[0]);
                int before = serving.routed.get();
                RawHttp.Answer ahead = serving.ask(method, "/v1/sets/firewall", sent);
                assertThat(serving.routed.get()).as("%s is quick", fields).isEqualTo(before);
                RawHttp.Answer behind = serving.ask(method, "/v1/sets/firewall?x", sent);
                assertThat(serving.routed.get()).isGreaterThan(before);
                assertThat(ahead.status()).as("%s", fields).isEqualTo(behind.status());
                ahead.headers().remove("date");
                behind.headers().remove("date");
                assertThat(ahead.headers()).as("%s", fields).isEqualTo(behind.headers());
                assertThat(ahead.text()).as("%s", fields).isEqualTo(behind.text());
            }
        }
        assertThat(serving.get("/v1/sets/firewall", "Authorization: Bearer operator").status()).isEqualTo(200);
    }

    // The promise of reads that never go back: a look that was under way when the request came does not count.
    @Test
    void head_publishedJustBefore_isNeverAnsweredFromThePast() throws Exception {
        for (int revision = 1; revision <= 100; revision++) {
            String before = serving.tag(serving.firewall);
            serving.firewall.publish(Map.of("a", "" + revision));
            RawHttp.Answer answer = serving.get("/v1/sets/firewall", "If-None-Match: " + before);
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.header("bellwether-revision")).isEqualTo("" + revision);
        }
    }

    @Test
    void request_namingALaterRevision_isBehindUntilItIsThere() throws Exception {
        serving.firewall.publish(Map.of("a", "1"));
        String epoch = serving.get("/v1/sets/firewall").header("bellwether-epoch").substring(0, 8);
        for (List<String> request : List.of(List.of("/v1/sets/firewall", "Bellwether-Min-Revision: 2"),
                List.of("/v1/sets/firewall/manifest", "Bellwether-Min-Revision: 2"),
                List.of("/v1/sets/firewall", "If-None-Match: \"" + epoch + ".r2\""),
                List.of("/v1/sets/firewall/bundle.ndjson.gz", "If-None-Match: W/\"" + epoch + ".r2\""),
                List.of("/v1/sets/firewall/changes?since=2", "X-Nothing: 1"),
                List.of("/v1/sets/firewall/revisions/2/manifest", "X-Nothing: 1"))) {
            RawHttp.Answer behind = serving.get(request.get(0), request.get(1));
            assertThat(behind.status()).as(request.toString()).isEqualTo(503);
            assertThat(behind.text()).contains("/problems/behind-min-revision");
            assertThat(behind.header("retry-after")).isEqualTo("1");
            assertThat(behind.header("bellwether-revision")).isEqualTo("1");
        }
        // A tag of another epoch names nothing here.
        assertThat(serving.get("/v1/sets/firewall", "If-None-Match: \"00000000.r9\"").status()).isEqualTo(200);
        assertThat(serving.get("/v1/sets/firewall", "Bellwether-Min-Revision: x").status()).isEqualTo(400);
        serving.firewall.publish(Map.of("a", "2"));
        assertThat(serving.get("/v1/sets/firewall", "Bellwether-Min-Revision: 2").status()).isEqualTo(200);
        assertThat(serving.get("/v1/sets/firewall", "If-None-Match: \"" + epoch + ".r2\"").status()).isEqualTo(304);
    }

    @Test
    void manifest_ofAnyKeptRevision_isThatOfThePublish() throws Exception {
        serving.firewall.publish(Map.of("a", "1", "b", "2", "ключ/\"", "3"));
        Manifest first = serving.firewall.manifest();
        serving.firewall.publish(Map.of("a", "1", "c", "2"));
        serving.firewall.publish(Map.of("a", "5", "c", "2"));
        assertManifest("/v1/sets/firewall/manifest", 3, serving.firewall.manifest());
        assertManifest("/v1/sets/firewall/revisions/3/manifest", 3, serving.firewall.manifest());
        assertManifest("/v1/sets/firewall/revisions/1/manifest", 1, first);
        assertThat(serving.get("/v1/sets/firewall/revisions/1/manifest").header("cache-control"))
                .isEqualTo("private, no-cache");
        serving.firewall.retainFrom(2);
        eventually("revision 1 is gone", Duration.ofSeconds(5),
                () -> serving.get("/v1/sets/firewall/revisions/1/manifest").status() == 410);
        assertThat(serving.get("/v1/sets/firewall/revisions/x/manifest").status()).isEqualTo(404);
    }

    private void assertManifest(String path, long revision, Manifest expected) throws Exception {
        JsonNode json = Json.read(serving.get(path).body());
        assertThat(json.path("revision").asLong()).isEqualTo(revision);
        assertThat(json.path("contentSha256").asText()).isEqualTo(expected.contentSha256().hex());
        assertThat(json.path("policies").asLong()).isEqualTo(expected.policies());
        assertThat(json.path("segments")).hasSameSizeAs(expected.segments());
        for (int i = 0; i < expected.segments().size(); i++) {
            SegmentRef segment = expected.segments().get(i);
            JsonNode one = json.path("segments").path(i);
            assertThat(ServingFixture.bytes(one.path("firstKey").asText())).isEqualTo(segment.firstKey());
            assertThat(one.path("sha256").asText()).isEqualTo(segment.sha256().hex());
            assertThat(one.path("rawSha256").asText()).isEqualTo(segment.rawSha256().hex());
            assertThat(one.path("bytes").asLong()).isEqualTo(segment.bytes());
            assertThat(one.path("rawBytes").asLong()).isEqualTo(segment.rawBytes());
            assertThat(one.path("policies").asInt()).isEqualTo(segment.policies());
        }
    }

    @Test
    void revisions_keptWholeOrAsChanges_areToldApart() throws Exception {
        for (int i = 1; i <= 5; i++) {
            serving.firewall.publish(Map.of("a", "" + i), i != 2);
        }
        String hash = serving.firewall.manifest().segments().getFirst().sha256().hex();
        serving.firewall.keepContentsFrom(4);
        assertThat(serving.get("/v1/sets/firewall").status()).isEqualTo(200);
        JsonNode json = Json.read(serving.get("/v1/sets/firewall/revisions").body());
        assertThat(json.path("revision").asLong()).isEqualTo(5);
        assertThat(json.path("revisions").findValuesAsText("revision")).containsExactly("5", "4", "3", "2", "1");
        assertThat(json.path("revisions").findValuesAsText("contents")).containsExactly("true", "true", "false",
                "false", "false");
        assertThat(json.path("revisions").findValuesAsText("changes")).containsExactly("true", "true", "true", "false",
                "true");
        assertThat(Json.read(serving.get("/v1/sets/firewall/revisions?before=4&limit=2").body()).path("revisions")
                .findValuesAsText("revision")).containsExactly("3", "2");
        assertThat(serving.get("/v1/sets/firewall/revisions?limit=0").status()).isEqualTo(400);
        for (String what : new String[]{"manifest", "bundle.ndjson.gz"}) {
            assertThat(serving.get("/v1/sets/firewall/revisions/4/" + what).status()).isEqualTo(200);
            RawHttp.Answer gone = serving.get("/v1/sets/firewall/revisions/3/" + what);
            assertThat(gone.status()).as(what).isEqualTo(410);
            assertThat(gone.text()).contains("/problems/revision-gone",
                    "revision 3 is kept as a change only, the oldest whose contents are kept is 4");
        }
        assertThat(serving.get("/v1/sets/firewall/segments/" + hash).status()).isEqualTo(200);
    }

    @Test
    void databaseAway_everyRead_isAnsweredAndMarkedStale() throws Exception {
        serving.firewall.publish(Map.of("a", "1", "b", "2"));
        for (String path : OF_A_SET) {
            assertThat(serving.get(path).status()).as(path).isIn(200, 307);
        }
        serving.proxy.cut();
        eventually("it is noticed", Duration.ofSeconds(5),
                () -> serving.get("/v1/sets/firewall").header("bellwether-stale").equals("1"));
        for (String path : OF_A_SET) {
            RawHttp.Answer answer = serving.get(path);
            assertThat(answer.status()).as(path).isIn(200, 307);
            assertThat(answer.header("bellwether-revision")).as(path).isEqualTo("1");
        }
        assertThat(serving.get("/v1/sets/firewall", "Bellwether-Min-Revision: 2").status()).isEqualTo(503);
        assertThat(serving.get("/v1/sets/missing").status()).isEqualTo(503);
        assertThat(serving.get("/readyz").status()).isEqualTo(200);
        assertThat(serving.get("/readyz").text()).contains("\"database\":\"away\"");
        serving.proxy.pass();
        eventually("it is back", Duration.ofSeconds(2),
                () -> !serving.get("/v1/sets/firewall").headers().containsKey("bellwether-stale"));
    }

    // A process that had missed the first revision when the database went away answered 404, and no other was asked.
    @Test
    void databaseAway_setWithoutARevision_isLeftToOthers() throws Exception {
        assertThat(serving.get("/v1/sets/firewall").status()).isEqualTo(404);
        serving.proxy.cut();
        eventually("it is noticed", Duration.ofSeconds(5), () -> serving.get("/v1/sets/firewall").status() == 503);
        for (String path : OF_A_SET) {
            assertThat(serving.get(path).status()).as(path).isEqualTo(503);
        }
    }

    @Test
    void health_whileDraining_isAliveButNotReady() throws Exception {
        assertThat(serving.get("/livez").status()).isEqualTo(200);
        assertThat(serving.get("/readyz").text()).contains("\"ready\":true", "\"catalog\":\"ready\"");
        serving.server.drain();
        assertThat(serving.get("/livez").status()).isEqualTo(200);
        assertThat(serving.get("/readyz").status()).isEqualTo(503);
        assertThat(serving.get("/readyz").text()).contains("\"ready\":false", "\"draining\":true");
        assertThat(serving.get("/metrics").text()).contains("bellwether_http_server_requests_seconds_count",
                "bellwether_waiting_polls");
    }
}
