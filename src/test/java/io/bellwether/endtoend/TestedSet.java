package io.bellwether.endtoend;

import static io.bellwether.testing.Eventually.eventually;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.bellwether.feed.FeedShape;

/** A set of one test with an upstream of its own, whose feed differs each time it is read. Disabled at the end. */
final class TestedSet implements AutoCloseable {
    static final Duration LIMIT = Duration.ofSeconds(60);
    static final Duration PERIOD = Duration.ofSeconds(2);

    private static final int COMPARED = 50;

    private final FaultCluster cluster;
    private final Api api;
    private final String name;
    private final TestUpstream upstream;
    private final Duration period;
    private final boolean mends;

    /** A set that does not exist yet; the cluster is mended when it is closed. */
    TestedSet(FaultCluster cluster, String name, Duration period) throws IOException {
        this(cluster, name, period, true);
    }

    private TestedSet(FaultCluster cluster, String name, Duration period, boolean mends) throws IOException {
        this.mends = mends;
        this.cluster = cluster;
        this.period = period;
        this.api = cluster.api();
        this.name = name;
        this.upstream = new TestUpstream(new FeedShape(300, name.hashCode(), 0.02, 0));
    }

    /** One with a tick every {@link #PERIOD}, which has published; closing it mends nothing. */
    static TestedSet published(FaultCluster cluster, String name) throws Exception {
        TestedSet set = new TestedSet(cluster, name, PERIOD, false);
        set.enable();
        set.awaitPublished(1);
        return set;
    }

    String name() {
        return name;
    }

    TestUpstream upstream() {
        return upstream;
    }

    /** Creates it, or lets its schedule go on. */
    void enable() throws Exception {
        declare(definition(true));
    }

    /** Creates or changes it. */
    void declare(ObjectNode definition) throws Exception {
        api.put(name, definition);
    }

    /** What is declared, to be changed by the caller. */
    ObjectNode definition(boolean enabled) {
        return Api.definition(upstream.url(), "*/" + period.toSeconds() + " * * * * *", enabled);
    }

    /** All rows, the oldest first. */
    List<RunRow> rows() throws Exception {
        return api.runs(name).reversed().stream().map(RunRow::of).toList();
    }

    /** The attempts at a tick, in order. */
    List<RunRow> attempts(Instant tick) throws Exception {
        return rows().stream().filter(row -> row.tick().equals(tick)).toList();
    }

    /** All rows as the API shows them, the oldest first. */
    List<JsonNode> runs() throws Exception {
        return api.runs(name).reversed();
    }

    /** The attempts at a tick as the API shows them, in order. */
    List<JsonNode> attempts(String tick) throws Exception {
        return runs().stream().filter(run -> tick(run).equals(tick)).toList();
    }

    /** The run that is under way, as the API shows it. */
    JsonNode running() throws Exception {
        return runs().stream().filter(run -> state(run).equals("running")).findFirst()
                .orElseThrow(() -> new AssertionError("nothing of " + name + " runs"));
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

    /** Waits for a row, and returns the newest of its kind. */
    RunRow await(String what, Predicate<RunRow> wanted) throws Exception {
        eventually(what + " of " + name, LIMIT, () -> rows().stream().anyMatch(wanted));
        return rows().reversed().stream().filter(wanted).findFirst().orElseThrow();
    }

    /** Waits until this very row has that state; what it says if it never does is all there is to know of the tick. */
    void awaitState(RunRow run, String state) throws Exception {
        try {
            eventually("run " + run.id() + " of " + name + " is " + state, LIMIT,
                    () -> rows().stream().anyMatch(row -> row.id() == run.id() && row.state().equals(state)));
        } catch (AssertionError e) {
            StringBuilder told = new StringBuilder(String.valueOf(e.getMessage()));
            attempts(run.tick()).forEach(row -> told.append('\n').append(row));
            for (int number = 1; number <= FaultCluster.PROCESSES; number++) {
                cluster.log(number).lines().filter(line -> line.contains(name)).forEach(line -> told.append('\n')
                        .append(line));
            }
            throw new AssertionError(told.toString(), e);
        }
    }

    /** Waits for so many revisions beside those that there are. */
    void awaitPublished(int more) throws Exception {
        long before = revision();
        eventually(more + " more revisions of " + name, LIMIT, () -> revision() >= before + more);
    }

    /** The newest revision that a row tells of; 0 when there is none. */
    long revision() throws Exception {
        return rows().stream().map(RunRow::revision).filter(Objects::nonNull).mapToLong(r -> r).max().orElse(0);
    }

    /** The newest row of that process, which is its run if it is in one. */
    RunRow of(FaultCluster.Reached process) throws Exception {
        return rows().reversed().stream().filter(row -> process.process().equals(row.process())).findFirst()
                .orElseThrow(() -> new AssertionError(process + " has no row in " + name));
    }

    /** No tick from here on, and nothing of those before runs any more. */
    void disable() throws Exception {
        declare(definition(false));
        eventually("nothing of " + name + " runs", LIMIT, () -> rows().stream().noneMatch(RunRow::isOpen));
    }

    /** What holds whatever broke: the oracle is content, and every process serves what was published last. */
    TickReport assertSound() throws Exception {
        TickReport report = assertSoundRows();
        if (revision() > 0) {
            assertServedByAll(revision());
        }
        return report;
    }

    /** Waits until every process has this revision as its head. */
    void assertServedByAll(long revision) throws Exception {
        cluster.assertServedByAll(name, revision);
    }

    /** The part of {@link #assertSound} that waits for no process. */
    TickReport assertSoundRows() throws Exception {
        disable();
        return new TickOracle(api, name, period).withContents(upstream, COMPARED).verify();
    }

    @Override
    public void close() {
        try (upstream) {
            if (mends) {
                cluster.heal();
            }
            declare(definition(false));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            throw new AssertionError("the set " + name + " could not be put to rest", e);
        }
    }
}
