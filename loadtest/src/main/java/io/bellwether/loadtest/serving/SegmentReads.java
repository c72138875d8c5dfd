package io.bellwether.loadtest.serving;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalDouble;

import io.bellwether.loadtest.bench.Cleanup;
import io.bellwether.loadtest.bench.Cluster;
import io.bellwether.loadtest.bench.Postgres;

/** How many segments the processes have read from PostgreSQL, by their own meter or else by PostgreSQL's statistics. */
final class SegmentReads {
    private static final String METER = "bellwether_segments_fetched_total";
    /** After this a backend that has nothing to do has told its figures. */
    private static final long STATISTICS_MILLIS = 11_000;

    private final Cluster cluster;
    private final Postgres postgres;

    SegmentReads(Cluster cluster, Duration limit, Cleanup cleanup) throws SQLException {
        this.cluster = cluster;
        this.postgres = Postgres.connect(cluster, limit);
        cleanup.add(postgres::close);
    }

    /** Whether the processes count them. */
    boolean areMetered() throws IOException, InterruptedException {
        return Metrics.value(cluster.servers().get(0), METER).isPresent();
    }

    /** Where they come from, in words. */
    String source() throws IOException, InterruptedException {
        return areMetered() ? METER : "rows that PostgreSQL says were fetched from segment";
    }

    /** How many so far. */
    double soFar() throws IOException, InterruptedException, SQLException {
        if (areMetered()) {
            double sum = 0;
            for (Cluster.Server server : cluster.servers()) {
                OptionalDouble value = Metrics.value(server, METER);
                sum += value.orElse(0);
            }
            return sum;
        }
        Thread.sleep(STATISTICS_MILLIS);
        return Double.parseDouble(postgres.text("select coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0)"
                + " from pg_stat_user_tables where schemaname = 'public' and relname = 'segment'"));
    }
}
