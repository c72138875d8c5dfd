package io.bellwether.loadtest.bulk;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.postgresql.PGConnection;

import io.bellwether.loadtest.bench.Cleanup;
import io.bellwether.loadtest.bench.Cluster;
import io.bellwether.loadtest.bench.Postgres;
import io.bellwether.loadtest.bench.Programs;

/**
 * The yardstick: {@code psql}'s {@code \copy} of the rows of a feed into an empty table like {@code policy}, with its
 * columns, constraints, index, storage settings, in the same database. Without a {@code psql} the PostgreSQL driver copies.
 */
final class Yardstick {
    private final Cluster cluster;
    private final Postgres postgres;
    private final Cleanup cleanup;
    private final Duration limit;
    private final Optional<Path> psql = Programs.onPath("psql");

    Yardstick(Cluster cluster, Postgres postgres, Cleanup cleanup, Duration limit) {
        this.cluster = cluster;
        this.postgres = postgres;
        this.cleanup = cleanup;
        this.limit = limit;
    }

    /** Which program copies, in words. */
    static String program(Cleanup cleanup) throws IOException, InterruptedException {
        Optional<Path> psql = Programs.onPath("psql");
        return psql.isPresent()
                ? Programs.run(cleanup, Duration.ofSeconds(10), Map.of(), List.of(psql.get().toString(), "--version"))
                : "COPY through the PostgreSQL driver, for there is no psql on PATH";
    }

    /**
     * Copies, measured, after a checkpoint, and takes the table away again.
     *
     * @param format as COPY names it
     */
    Measurement measure(Meter meter, String step, Path rows, String format) throws Exception {
        postgres.execute("drop schema if exists yardstick cascade; create schema yardstick;"
                + " create table yardstick.policy (like public.policy including all)");
        // What LIKE leaves out: fill factor and vacuum settings.
        String settings = postgres.text("select array_to_string(reloptions, ', ') from pg_class"
                + " where oid = 'public.policy'::regclass");
        if (!settings.equals("null")) {
            postgres.execute("alter table yardstick.policy set (" + settings + ")");
        }
        postgres.checkpoint();
        Measurement measured = meter.measure(step, () -> Meter.timed(() -> copy(rows, format)));
        postgres.execute("drop schema yardstick cascade");
        return measured;
    }

    private void copy(Path rows, String format) throws IOException, SQLException, InterruptedException {
        String into = "yardstick.policy (set_id, key, body, body_sha256) from ";
        if (psql.isEmpty()) {
            try (InputStream in = Files.newInputStream(rows)) {
                postgres.connection().unwrap(PGConnection.class).getCopyAPI()
                        .copyIn("copy " + into + "stdin (format " + format + ")", in, 1 << 16);
            }
            return;
        }
        Programs.run(cleanup, limit, Map.of("PGPASSWORD", cluster.superuserPassword()), List.of(psql.get().toString(),
                "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", Integer.toString(cluster.postgresPort()),
                "-U", "postgres", "-d", cluster.database(), "-c",
                "\\copy " + into + "'" + rows + "' (format " + format + ")"));
    }
}
