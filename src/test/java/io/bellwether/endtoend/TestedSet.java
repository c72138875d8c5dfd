package io.bellwether.endtoend;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.bellwether.feed.FeedShape;

/** A set of one test, its upstream and its runs. Disabled at the end. */
final class TestedSet implements AutoCloseable {
    static final Duration LIMIT = Duration.ofSeconds(60);

    private static final Set<String> UNDER_WAY = Set.of("running", "queued");

    private final FaultCluster cluster;
    private final Api api;
    private final String name;
    private final TestUpstream upstream;
    private final Duration period;

    /** Declares the set; its feed is small and has another content each time it is read. */
    TestedSet(FaultCluster cluster, String name, Duration period) throws Exception {
        this.cluster = cluster;
        this.api = cluster.api();
        this.name = name;
        this.period = period;
        this.upstream = new TestUpstream(new FeedShape(300, name.hashCode(), 0.02, 0));
    }

    String name() {
        return name;
    }

    TestUpstream upstream() {
        return upstream;
    }

    /** The schedule goes on from here. */
    void enable() throws Exception {
        api.put(name, definition(true));
    }

    /** No tick from here on; nothing of those before runs any more. */
    void disable() throws Exception {
        api.put(name, definition(false));
        eventually("nothing of " + name + " runs", LIMIT, () -> runs().stream().noneMatch(r -> isUnderWay(r)));
    }

    /** What is declared, to be changed by the caller. */
    ObjectNode definition(boolean enabled) {
        return Api.definition(upstream.url(), "*/" + period.toSeconds() + " * * * * *", enabled);
    }

    /** All runs, the oldest first. */
    List<JsonNode> runs() throws Exception {
        return api.runs(name).reversed();
    }

    /** The attempts of a tick, in order. */
    List<JsonNode> attempts(String tick) throws Exception {
        return runs().stream().filter(r -> tick(r).equals(tick)).toList();
    }

    /** Waits for a run that was published, beside those that are known. */
    void awaitPublished(int more) throws Exception {
        long before = revision();
        eventually(more + " more revisions of " + name, LIMIT, () -> revision() >= before + more);
    }

    /** The newest revision that a run says it published; 0 when there is none. */
    long revision() throws Exception {
        return runs().stream().mapToLong(r -> r.path("revision").asLong(0)).max().orElse(0);
    }

    /** The run that is under way. */
    JsonNode running() throws Exception {
        return runs().stream().filter(r -> state(r).equals("running")).findFirst()
                .orElseThrow(() -> new AssertionError("nothing of " + name + " runs"));
    }

    /**
     * What holds whatever broke: each tick has its row, none is missing between the first and the last; attempts are
     * counted without a gap; at most one of them was published; revisions and fences rise; the head is what was published
     * last, and every process serves it.
     */
    void assertSound() throws Exception {
        disable();
        List<JsonNode> runs = runs();
        assertOneRowPerTick(runs);
        List<JsonNode> published = runs.stream().filter(r -> state(r).equals("published")).toList();
        long revision = 0;
        long fence = 0;
        for (JsonNode run : published) {
            assertThat(run.path("revision").longValue()).as("revision of %s", run).isEqualTo(++revision);
            assertThat(run.path("fence").longValue()).as("fence of %s", run).isGreaterThan(fence);
            fence = run.path("fence").longValue();
        }
        for (JsonNode run : published) {
            assertThat(attempts(tick(run)).stream().filter(r -> state(r).equals("published"))).hasSize(1);
        }
        if (revision > 0) {
            assertServedByAll(revision);
        }
    }

    private void assertOneRowPerTick(List<JsonNode> runs) {
        List<Instant> ticks = new ArrayList<>();
        for (JsonNode run : runs) {
            boolean ofTheSchedule = !run.path("kind").textValue().equals("manual");
            if (ofTheSchedule && run.path("attempt").intValue() == 1) {
                ticks.add(Instant.parse(tick(run)));
            }
        }
        ticks.sort(null);
        for (int i = 1; i < ticks.size(); i++) {
            assertThat(Duration.between(ticks.get(i - 1), ticks.get(i))).as("after %s of %s", ticks.get(i - 1), name)
                    .isEqualTo(period);
        }
    }

    /** Waits until every process has this revision as its head; its content is one that the upstream served. */
    void assertServedByAll(long revision) throws Exception {
        List<String> lines = api.verifiedLines(name, revision);
        assertThat(upstream.served().stream().map(feed -> List.copyOf(TestUpstream.lines(feed).values()))
                .anyMatch(lines::equals)).as("revision %d of %s is whole", revision, name).isTrue();
        for (int number = 1; number <= FaultCluster.PROCESSES; number++) {
            int n = number;
            eventually("process " + number + " serves revision " + revision + " of " + name, LIMIT,
                    () -> serves(n, revision));
        }
    }

    private boolean serves(int number, long revision) throws InterruptedException {
        try {
            return cluster.api(number).json("/v1/sets/" + name).path("revision").longValue() == revision;
        } catch (IOException e) {
            return false; // It is being started again.
        }
    }

    static boolean isUnderWay(JsonNode run) {
        return UNDER_WAY.contains(state(run));
    }

    static String state(JsonNode run) {
        return run.path("state").textValue();
    }

    static String tick(JsonNode run) {
        return run.path("scheduledAt").textValue();
    }

    static Instant at(JsonNode run, String member) {
        return Instant.parse(run.path(member).textValue());
    }

    @Override
    public void close() {
        try (upstream) {
            cluster.heal();
            api.put(name, definition(false));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            throw new AssertionError("the set " + name + " could not be put to rest", e);
        }
    }
}
