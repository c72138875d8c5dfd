package io.bellwether.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.bellwether.policy.Sha256;

/**
 * Clients that read one set through nginx all along, one for each kind of read, and check what they get: an answer that is
 * no success, or whose content is not what it should be, is a complaint. What is no answer at all is one too.
 */
final class SteadyReads implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PAUSE = Duration.ofMillis(50);

    /** One read; returns the answer whose mark counts. */
    @FunctionalInterface
    private interface Read {
        HttpResponse<byte[]> once() throws Exception;
    }

    /** How many answers of a kind there were in a phase. */
    private static final class Count {
        private final AtomicInteger fresh = new AtomicInteger();
        private final AtomicInteger stale = new AtomicInteger();

        @Override
        public String toString() {
            return fresh + "/" + stale;
        }
    }

    private final Api api;
    private final String set;
    private final List<Thread> threads = new ArrayList<>();
    private final List<String> complaints = Collections.synchronizedList(new ArrayList<>());
    /** Of the reads that look at the head, by phase and kind. */
    private final Map<String, Map<String, Count>> looked = new ConcurrentSkipListMap<>();
    private final AtomicInteger immutable = new AtomicInteger();
    private final AtomicLong slowestMillis = new AtomicLong();
    private volatile String phase = "before";
    private volatile boolean stopping;

    /** Begins to read that set, which has a revision beyond the first. */
    SteadyReads(Api api, String set) {
        this.api = api;
        this.set = "/v1/sets/" + set;
        looking("head", () -> get("", 200));
        looking("unchanged", () -> get("", 304, "If-None-Match", tag()));
        looking("wait", () -> get("", 304, "If-None-Match", tag(), "Prefer", "wait=2"));
        looking("list", () -> answer("/v1/sets", 200));
        looking("manifest", () -> get("/manifest", 200));
        looking("changes", () -> changes(revision() - 1));
        looking("all changes", () -> changes(0));
        looking("policy", this::policy);
        looking("page", this::page);
        looking("bundle", () -> get("/bundle.ndjson.gz", 307));
        reading("segment", this::segment);
        reading("manifest of a revision", () -> get("/revisions/" + revision() + "/manifest", 200));
        reading("whole bundle", () -> {
            assertThat(api.verifiedLines(set, revision())).isNotEmpty();
        });
        reading("part of a bundle", () -> {
            byte[] part = get("/revisions/" + revision() + "/bundle.ndjson.gz", 206, "Range", "bytes=10-99").body();
            assertThat(part).hasSize(90);
        });
    }

    /** A read that answers from the heads, and so is marked when they may be old. */
    private void looking(String kind, Read read) {
        start(kind, () -> {
            String begun = phase;
            HttpResponse<byte[]> answer = read.once();
            if (phase.equals(begun)) {
                Count count = looked.computeIfAbsent(begun, _ -> new ConcurrentSkipListMap<>()).computeIfAbsent(kind,
                        _ -> new Count());
                (isStale(answer) ? count.stale : count.fresh).incrementAndGet();
            }
        });
    }

    /** A read of what never changes. */
    private void reading(String kind, Reading read) {
        start(kind, () -> {
            read.once();
            immutable.incrementAndGet();
        });
    }

    @FunctionalInterface
    private interface Reading {
        void once() throws Exception;
    }

    private void start(String kind, Reading read) {
        threads.add(Thread.ofPlatform().name("reads-" + kind).start(() -> {
            while (!stopping) {
                long begun = System.nanoTime();
                try {
                    read.once();
                } catch (Exception | AssertionError e) {
                    complaints.add(phase + ", " + kind + ": " + e);
                }
                if (!kind.equals("wait")) {
                    slowestMillis.accumulateAndGet((System.nanoTime() - begun) / 1_000_000, Math::max);
                }
                LongRun.pass(PAUSE);
            }
        }));
    }

    private HttpResponse<byte[]> get(String path, int status, String... headers)
            throws IOException, InterruptedException {
        return answer(set + path, status, headers);
    }

    /** An answer; where 304 is expected, something new is as good. */
    private HttpResponse<byte[]> answer(String path, int status, String... headers)
            throws IOException, InterruptedException {
        HttpResponse<byte[]> answer = api.get(path, headers);
        assertThat(answer.statusCode()).as(() -> path + " " + new String(answer.body(), StandardCharsets.UTF_8))
                .isIn(status, status == 304 ? 200 : status);
        return answer;
    }

    private String tag() throws IOException, InterruptedException {
        return get("", 200).headers().firstValue("ETag").orElseThrow();
    }

    private long revision() throws IOException, InterruptedException {
        return get("", 200).headers().firstValueAsLong("Bellwether-Revision").orElseThrow();
    }

    private HttpResponse<byte[]> changes(long since) throws IOException, InterruptedException {
        HttpResponse<byte[]> answer = get("/changes?since=" + since, 200);
        List<String> lines = new String(answer.body(), StandardCharsets.UTF_8).lines().toList();
        JsonNode last = JSON.readTree(lines.getLast());
        assertThat(last.path("end").asBoolean()).isTrue();
        assertThat(last.path("count").asInt()).isEqualTo(lines.size() - 2);
        return answer;
    }

    private HttpResponse<byte[]> page() throws IOException, InterruptedException {
        HttpResponse<byte[]> answer = get("/policies?limit=20", 200);
        assertThat(JSON.readTree(answer.body()).path("policies")).hasSize(20);
        return answer;
    }

    /** One of a page; it may have been deleted since, and then another is asked for. */
    private HttpResponse<byte[]> policy() throws IOException, InterruptedException {
        for (JsonNode one : JSON.readTree(page().body()).path("policies")) {
            HttpResponse<byte[]> answer = api.get(
                    set + "/policies/" + URLEncoder.encode(one.path("key").asText(), StandardCharsets.UTF_8)
                            .replace("+", "%20"));
            if (answer.statusCode() == 200) {
                assertThat(JSON.readTree(answer.body()).path("key")).isEqualTo(one.path("key"));
                return answer;
            }
            assertThat(answer.statusCode()).as(() -> new String(answer.body(), StandardCharsets.UTF_8)).isEqualTo(404);
        }
        throw new AssertionError("none of a page's policies is there");
    }

    private void segment() throws IOException, InterruptedException {
        for (JsonNode segment : JSON.readTree(get("/manifest", 200).body()).path("segments")) {
            String sha256 = segment.path("sha256").asText();
            assertThat(Sha256.of(get("/segments/" + sha256, 200).body()).hex()).isEqualTo(sha256);
        }
    }

    private static boolean isStale(HttpResponse<byte[]> answer) {
        return answer.headers().firstValue("Bellwether-Stale").isPresent();
    }

    /** What is read from now on belongs to that phase; what is under way to none. */
    void phase(String name) {
        phase = name;
    }

    /** No read failed, and in these phases each kind was answered, always without the mark. */
    void assertFresh(String... phases) {
        assertThat(complaints).isEmpty();
        for (String one : phases) {
            assertThat(counts(one)).as(one).allSatisfy((kind, count) -> {
                assertThat(count.fresh.get()).as(kind).isPositive();
                assertThat(count.stale.get()).as(kind).isZero();
            });
        }
    }

    /** No read failed, and in that phase each kind was answered, always with the mark. */
    void assertStale(String one) {
        assertThat(complaints).isEmpty();
        assertThat(counts(one)).as(one).allSatisfy((kind, count) -> {
            assertThat(count.stale.get()).as(kind).isPositive();
            assertThat(count.fresh.get()).as(kind).isZero();
        });
    }

    private Map<String, Count> counts(String one) {
        Map<String, Count> counts = new TreeMap<>(looked.getOrDefault(one, Map.of()));
        assertThat(counts).as(one).hasSize(10);
        return counts;
    }

    /** All numbers in one line: by phase and kind how many were fresh and how many stale. */
    @Override
    public String toString() {
        return "fresh/stale " + looked + " immutable=" + immutable + " failed=" + complaints.size() + " slowest="
                + slowestMillis + " ms";
    }

    @Override
    public void close() {
        end();
    }

    /** No read is begun any more, and all have ended. */
    void end() {
        stopping = true;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
