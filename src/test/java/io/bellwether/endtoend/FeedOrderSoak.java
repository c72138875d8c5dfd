package io.bellwether.endtoend;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import io.bellwether.cluster.ClusterFile;
import io.bellwether.cluster.LocalCluster;
import io.bellwether.feed.FeedShape;
import io.bellwether.policy.Sha256;

/**
 * Thirty feeds in order and then in a random one, with four processes. After each, every process has it, whole, by hash;
 * in the end the changes lead from each revision to the head. Takes {@code bellwether.soak.feeds} and {@code
 * bellwether.soak.seed} as a {@link LongRun} does; a folder's feeds are all served, whatever their number.
 */
class FeedOrderSoak {
    private static final String SET = "feed-order";
    private static final int GENERATED = 30;
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final String NEVER = "0 0 0 1 1 *";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final long seed = Long.getLong("bellwether.soak.seed", System.nanoTime());

    /** Feeds in an order of their own. */
    private record Ordered(Feeds feeds, List<Integer> order) implements Feeds {
        @Override
        public byte[] body(long number) {
            return feeds.body(order.get((int) number));
        }

        @Override
        public List<String> lines(long number) {
            return feeds.lines(order.get((int) number));
        }

        @Override
        public String contentType() {
            return feeds.contentType();
        }
    }

    @Test
    void feeds_inOrderAndInRandomOrder_areServedWholeByAllProcessesAfterEach() throws Exception {
        LocalCluster cluster = SharedCluster.get();
        Api api = new Api(cluster);
        String folder = System.getProperty("bellwether.soak.feeds", "");
        Feeds feeds = folder.isEmpty() ? Feeds.of(new FeedShape(3_000, seed, 0.02, 0)) : Feeds.of(Path.of(folder));
        int count = folder.isEmpty() ? GENERATED : Feeds.count(Path.of(folder));
        Ordered ordered = new Ordered(feeds, order(count));
        List<Integer> history = new ArrayList<>();
        Set<String> leaders = new TreeSet<>();
        long changed = 0;
        long begun = System.nanoTime();
        try (TestUpstream upstream = new TestUpstream(ordered)) {
            ObjectNode definition = Api.definition(upstream.url(), NEVER, true);
            definition.putObject("guard").put("maxDeleteShare", 1.0);
            api.put(SET, definition);
            for (int n = 0; n < ordered.order().size(); n++) {
                JsonNode run = finished(api, api.runNow(SET));
                boolean again = n > 0 && ordered.order().get(n).equals(ordered.order().get(n - 1));
                assertThat(run.path("state").asText()).as("feed %d: %s", ordered.order().get(n), run)
                        .isEqualTo(again ? "unchanged" : "published");
                leaders.add(run.path("process").asText());
                changed += run.path("upserts").asLong() + run.path("deletes").asLong();
                if (!again) {
                    history.add(n);
                    assertThat(run.path("revision").asInt()).isEqualTo(history.size());
                }
                assertServed(api, cluster, history.size(), canonical(ordered.lines(n)));
            }
            for (int revision = 1; revision <= history.size(); revision++) {
                assertChangesLead(api, revision, ordered.lines(history.get(revision - 1)),
                        ordered.lines(ordered.order().size() - 1L));
            }
        }
        LongRun.tell(SET, "feeds=" + count + " seed=" + seed + " revisions=" + history.size() + " changes=" + changed
                + " leaders=" + leaders.size() + " seconds="
                + Duration.ofNanos(System.nanoTime() - begun).toSeconds());
    }

    private List<Integer> order(int count) {
        List<Integer> inOrder = IntStream.range(0, count).boxed().toList();
        List<Integer> all = new ArrayList<>(inOrder);
        List<Integer> shuffled = new ArrayList<>(inOrder);
        Collections.shuffle(shuffled, new Random(seed));
        all.addAll(shuffled);
        return all;
    }

    private static JsonNode finished(Api api, JsonNode run) throws Exception {
        String path = "/v1/admin/jobs/" + SET + "/runs/" + run.path("id").asLong();
        eventually("the run's end", LIMIT, () -> !api.json(path).path("finishedAt").isNull());
        return api.json(path);
    }

    private static void assertServed(Api api, LocalCluster cluster, long revision, List<String> expected)
            throws Exception {
        List<String> served = api.verifiedLines(SET, revision);
        assertThat(hash(served)).as("revision %d", revision).isEqualTo(hash(expected));
        String content = api.json("/v1/sets/" + SET).path("contentSha256").asText();
        for (ClusterFile.ServeProcess process : cluster.describe().processes()) {
            JsonNode head = new Api(process.url(), cluster.adminToken()).json("/v1/sets/" + SET);
            assertThat(head.path("revision").asLong()).as(process.name()).isEqualTo(revision);
            assertThat(head.path("contentSha256").asText()).as(process.name()).isEqualTo(content);
        }
    }

    private static void assertChangesLead(Api api, long since, List<String> from, List<String> to) throws Exception {
        Map<byte[], String> state = byKey(from);
        List<String> lines = new String(api.get("/v1/sets/" + SET + "/changes?since=" + since).body(),
                StandardCharsets.UTF_8).lines().toList();
        assertThat(JSON.readTree(lines.getLast()).path("end").asBoolean()).as("since %d", since).isTrue();
        for (String line : lines.subList(1, lines.size() - 1)) {
            // {"op":"put","key":…,"body":…}: what is behind the comma is the line itself.
            String rest = "{" + line.substring(line.indexOf(',') + 1);
            if (line.startsWith("{\"op\":\"del\"")) {
                state.remove(JSON.readTree(rest).path("key").asText().getBytes(StandardCharsets.UTF_8));
            } else {
                state.put(key(rest), rest);
            }
        }
        assertThat(hash(List.copyOf(state.values()))).as("since %d", since).isEqualTo(hash(canonical(to)));
    }

    private static List<String> canonical(List<String> lines) throws Exception {
        return List.copyOf(byKey(lines).values());
    }

    private static Map<byte[], String> byKey(List<String> lines) throws Exception {
        Map<byte[], String> sorted = new TreeMap<>(Arrays::compareUnsigned);
        for (String line : lines) {
            sorted.put(key(line), line);
        }
        return sorted;
    }

    private static byte[] key(String line) throws Exception {
        String quoted = line.substring("{\"key\":".length(), line.indexOf(",\"body\":"));
        return JSON.readValue(quoted, String.class).getBytes(StandardCharsets.UTF_8);
    }

    private static Sha256 hash(List<String> lines) {
        return Sha256.of(String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
    }
}
