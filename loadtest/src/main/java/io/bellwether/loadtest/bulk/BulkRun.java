package io.bellwether.loadtest.bulk;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import io.bellwether.loadtest.bench.AdminApi;
import io.bellwether.loadtest.bench.Cleanup;
import io.bellwether.loadtest.bench.Cluster;
import io.bellwether.loadtest.bench.Feeds;
import io.bellwether.loadtest.bench.Postgres;
import io.bellwether.loadtest.bench.Upstream;

/** The measurement with one number of policies, from an empty cluster to its end. */
final class BulkRun {
    private static final String SET = "bulk";
    private static final String READ_SET = "read";
    private static final String OTHER_SET = "other";
    private static final String LONG_SET = "long";
    private static final long SEED = 1;
    private static final long OTHER_SEED = 2;
    private static final long LONG_SEED = 3;
    private static final long READ_POLICIES = 1_000;
    private static final long WARM_UP_MILLIS = 5_000;
    private static final long IDLE_MILLIS = 20_000;

    private final Options options;
    private final long policies;
    private final Cleanup cleanup;
    private final Feeds feeds;
    private final Upstream upstream;
    private final Cluster cluster;
    private final Postgres postgres;
    private final Meter meter;
    private final AdminApi api;
    private final List<Measurement> steps = new ArrayList<>();

    private BulkRun(Options options, long policies, Path folder, Cleanup cleanup) throws Exception {
        this.options = options;
        this.policies = policies;
        this.cleanup = cleanup;
        this.feeds = new Feeds(options.distribution(), options.limit(), folder.resolve("feeds"), cleanup);
        this.upstream = new Upstream();
        cleanup.add(upstream::close);
        this.cluster = Cluster.start(options.distribution(), folder.resolve("cluster"), 1,
                ("-Xmx" + options.heapFor(policies) + " " + options.jvm()).strip(), cleanup);
        this.postgres = Postgres.connect(cluster, options.limit());
        cleanup.add(postgres::close);
        this.meter = new Meter(cluster, postgres);
        this.api = new AdminApi(cluster, options.limit());
    }

    /**
     * Measures.
     *
     * @param folder for everything that is written; removed by the caller
     * @param cleanup stops what was started; to be closed by the caller
     * @param settings gets PostgreSQL's settings
     */
    static SizeResult measure(Options options, long policies, Path folder, Cleanup cleanup,
            Map<String, String> settings)
            throws Exception {
        BulkRun run = new BulkRun(options, policies, folder, cleanup);
        settings.putAll(run.postgres.settings());
        return run.all();
    }

    private SizeResult all() throws Exception {
        Path feed = feeds.generate(policies, SEED, 0);
        long feedBytes = Files.size(feed);
        Path text = feed.resolveSibling("rows.txt");
        Path binary = feed.resolveSibling("rows.bin");
        CopyFile.writeText(feed, text);
        CopyFile.writeBinary(feed, binary);

        postgres.autovacuum(false);
        Yardstick yardstick = new Yardstick(cluster, postgres, cleanup, options.limit());
        // The binary one first: it has the database make files for its log that the others use again.
        steps.add(yardstick.measure(meter, Steps.BINARY_COPY_BEFORE, binary, "binary"));
        steps.add(yardstick.measure(meter, Steps.COPY_BEFORE, text, "text"));
        Map<String, Postgres.TableSize> afterFirstLoad = refreshes(feed);
        steps.add(yardstick.measure(meter, Steps.COPY_AFTER, text, "text"));
        steps.add(yardstick.measure(meter, Steps.BINARY_COPY_AFTER, binary, "binary"));
        Map<String, Postgres.TableSize> atEnd = postgres.sizes();
        postgres.autovacuum(true);
        Files.delete(text);
        Files.delete(binary);
        Files.delete(feed);

        SizeResult.ReadersResult readers = options.readers() > 0 ? readers() : null;
        List<LongRun.Sample> longRun = options.refreshes() > 0 ? longRun() : List.of();
        return new SizeResult(policies, feedBytes, options.heapFor(policies), List.copyOf(steps), afterFirstLoad, atEnd,
                readers, longRun);
    }

    /** All refreshes of the set that are judged; returns the sizes of the tables after the first load. */
    private Map<String, Postgres.TableSize> refreshes(Path feed) throws Exception {
        upstream.serve(feed, false);
        api.define(SET, upstream.url());
        refresh(Steps.FIRST_LOAD, SET, "published", true);
        Map<String, Postgres.TableSize> sizes = postgres.sizes();
        // What autovacuum would do within the next minutes.
        steps.add(meter.measure(Steps.VACUUM, () -> Meter.timed(() -> postgres
                .execute("vacuum (analyze) public.policy, public.segment, public.manifest_entry"))));
        refresh(Steps.UNCHANGED, SET, "unchanged", true);

        upstream.serve(feed, true);
        api.run(SET, "unchanged");
        refresh(Steps.NOT_MODIFIED, SET, "unchanged", true);

        change(Steps.SMALL_AFTER_CHECKPOINT, Options.SMALL_CHANGE, true);
        change(Steps.SMALL, 2 * Options.SMALL_CHANGE, false);
        change(Steps.SMALL_AGAIN, 3 * Options.SMALL_CHANGE, false);
        change(Steps.LARGE, 3 * Options.SMALL_CHANGE + Options.LARGE_CHANGE, true);
        return sizes;
    }

    private void change(String step, double share, boolean checkpoint) throws Exception {
        Path changed = feeds.generate(policies, SEED, share);
        upstream.serve(changed, false);
        refresh(step, SET, "published", checkpoint);
        Files.delete(changed);
    }

    private void refresh(String step, String set, String state, boolean checkpoint) throws Exception {
        if (checkpoint) {
            postgres.checkpoint();
        }
        steps.add(meter.measure(step, () -> api.run(set, state)));
    }

    /** Has readers read a small set, first while nothing else is done, then while a large one is loaded. */
    private SizeResult.ReadersResult readers() throws Exception {
        Path small = feeds.generate(READ_POLICIES, SEED, 0);
        upstream.serve(small, false);
        api.define(READ_SET, upstream.url());
        api.run(READ_SET, "published");
        Path other = feeds.generate(policies, OTHER_SEED, 0);
        upstream.serve(other, false);
        api.define(OTHER_SET, upstream.url());
        postgres.checkpoint();
        try (Readers readers = new Readers(options.readers(), cluster.url(), READ_SET, api.token(READ_SET))) {
            Thread.sleep(WARM_UP_MILLIS);
            readers.begin();
            Thread.sleep(IDLE_MILLIS);
            Readers.Seen idle = readers.end();
            AtomicReference<Readers.Seen> during = new AtomicReference<>();
            steps.add(meter.measure(Steps.READ_LOAD, () -> {
                readers.begin();
                AdminApi.Run run = api.run(OTHER_SET, "published");
                during.set(readers.end());
                // The meter waits until the cluster is quiet, which it is not while it is read.
                readers.close();
                return run;
            }));
            return new SizeResult.ReadersResult(options.readers(), idle, during.get());
        } finally {
            Files.delete(small);
            Files.delete(other);
        }
    }

    /** Refreshes a set of its own many times. */
    private List<LongRun.Sample> longRun() throws Exception {
        Path feed = feeds.generate(policies, LONG_SEED, 0);
        upstream.serve(feed, false);
        api.define(LONG_SET, upstream.url());
        api.run(LONG_SET, "published");
        Files.delete(feed);
        return LongRun.run(options.refreshes(), LONG_SET, policies, LONG_SEED, feeds, upstream, api, postgres);
    }
}
