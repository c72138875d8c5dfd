package io.bellwether.endtoend;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.bellwether.cluster.ClusterFile;
import io.bellwether.cluster.LocalCluster;
import io.bellwether.cluster.Part;
import io.bellwether.feed.FeedShape;

/** A process starts and finds that 10,000 ticks were missed, beside one that finds none. */
class BacklogSoak {
    private static final int MISSED = 10_000;
    private static final String EVERY_SECOND = "* * * * * *";
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @Test
    void start_tenThousandTicksMissed_oneLateRunAndOneRowForTheRest() throws Exception {
        LocalCluster cluster = SharedCluster.get();
        Api api = new Api(cluster);
        List<Duration> with = new ArrayList<>();
        List<Duration> without = new ArrayList<>();
        List<Duration> caughtUp = new ArrayList<>();
        try (TestUpstream upstream = new TestUpstream(new FeedShape(600, 7, 0.02, 0))) {
            for (int number = 2; number <= cluster.processes(); number++) {
                cluster.process(number).stop();
            }
            for (int round = 1; round <= LongRun.rounds(5); round++) {
                without.add(start(cluster, api, upstream, "no-backlog-" + round, 0));
                String set = "backlog-" + round;
                with.add(start(cluster, api, upstream, set, MISSED));
                caughtUp.add(assertOneLateRun(new TickOracle(api, set, Duration.ofSeconds(1)).withContents(upstream,
                        10)));
            }
        } finally {
            for (int number = 2; number <= cluster.processes(); number++) {
                cluster.process(number).start();
            }
        }
        with.sort(null);
        without.sort(null);
        caughtUp.sort(null);
        LongRun.tell("backlog", "start with " + MISSED + " missed ticks " + TickReport.spread(with) + ", with none "
                + TickReport.spread(without) + ", medians' ratio "
                + Math.round(100.0 * with.get(with.size() / 2).toMillis() / without.get(without.size() / 2).toMillis())
                        / 100.0
                + "; from counting them to the start of the late run " + TickReport.spread(caughtUp));
    }

    /** Returns how long a process took to be ready; when it returns, ticks are run on time and the set rests. */
    private static Duration start(LocalCluster cluster, Api api, TestUpstream upstream, String set, int missed)
            throws Exception {
        Part process = cluster.process(1);
        api.put(set, upstream.url(), EVERY_SECOND, false);
        process.stop();
        setCursorBack(cluster, set, missed);
        long begun = System.nanoTime();
        process.start();
        Duration took = Duration.ofNanos(System.nanoTime() - begun);
        Instant ready = Instant.now();
        eventually("a tick is run on time", LIMIT, () -> api.runs(set).stream().map(RunRow::of)
                .anyMatch(row -> row.isPublished() && row.tick().isAfter(ready)));
        api.put(set, upstream.url(), EVERY_SECOND, false);
        eventually("nothing runs", LIMIT, () -> api.runs(set).stream().map(RunRow::of).noneMatch(RunRow::isOpen));
        return took;
    }

    /** As if its schedule had been on all along, and no process up. */
    private static void setCursorBack(LocalCluster cluster, String set, int seconds) throws Exception {
        ClusterFile.Postgres database = cluster.describe().postgres();
        try (Connection connection = DriverManager.getConnection(database.jdbcUrl(), database.user(),
                database.password()); PreparedStatement update = connection.prepareStatement("""
                        with declared as (
                            update policy_set set definition = jsonb_set(definition, '{enabled}', 'true')
                            where name = ? returning set_id
                        )
                        update job set enabled = true,
                            tick_cursor = date_trunc('second', clock_timestamp()) - make_interval(secs => ?)
                        from declared where job.set_id = declared.set_id""")) {
            update.setString(1, set);
            update.setInt(2, seconds);
            assertThat(update.executeUpdate()).isOne();
        }
    }

    /** Returns how long after the count of the missed ticks the newest one was begun. */
    private static Duration assertOneLateRun(TickOracle oracle) throws Exception {
        List<RunRow> rows = oracle.verify().rows();
        RunRow missed = rows.getFirst();
        // Besides it, only what was due when the set was switched off.
        assertThat(rows).filteredOn(row -> row.state().equals("missed"))
                .filteredOn(row -> !row.isOfSwitchingOff()).containsExactly(missed);
        assertThat(missed.ticks()).isGreaterThanOrEqualTo(MISSED - 1);
        RunRow late = rows.get(1);
        assertThat(late.tick()).isEqualTo(missed.tick().plusSeconds(1));
        assertThat(late.isPublished()).isTrue();
        // Of what was due when the rest was counted nothing but the newest is run.
        Instant counted = missed.finished().minusSeconds(1);
        assertThat(rows).filteredOn(row -> !row.equals(missed) && !row.tick().isAfter(counted))
                .as("counted at %s", missed
                        .finished())
                .hasSizeLessThanOrEqualTo(1);
        return Duration.between(missed.finished(), late.claimed());
    }
}
