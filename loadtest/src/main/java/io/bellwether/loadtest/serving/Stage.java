package io.bellwether.loadtest.serving;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import com.fasterxml.jackson.databind.JsonNode;

import io.bellwether.loadtest.bench.AdminApi;
import io.bellwether.loadtest.bench.Cleanup;
import io.bellwether.loadtest.bench.Cluster;
import io.bellwether.loadtest.bench.Feeds;
import io.bellwether.loadtest.bench.Upstream;

/**
 * What all parts share: the cluster, with a small published set, and the other processes and the second nginx beside it.
 *
 * @param options what was asked for
 * @param cluster what is measured
 * @param api of its operator
 * @param feeds makes feeds
 * @param upstream serves them
 * @param token opens all sets
 * @param jetty the smallest handlers, one for each process of the server
 * @param yardstick the second nginx
 * @param sample the manifest of the small set, by which sizes are estimated
 * @param segments counts what is read of segments
 */
record Stage(Options options, Cluster cluster, AdminApi api, Feeds feeds, Upstream upstream, String token,
        List<JettyProcess> jetty, Yardstick yardstick, JsonNode sample, SegmentReads segments) {
    /** The set that is polled. */
    static final String SMALL = "small";

    private static final long SMALL_POLICIES = 5_000;
    private static final long SEED = 1;

    /** Starts everything. */
    static Stage set(Options options, Path work, Cleanup cleanup) throws Exception {
        Upstream upstream = new Upstream();
        cleanup.add(upstream::close);
        Cluster cluster = Cluster.start(options.distribution(), work.resolve("cluster"), options.processes(),
                options.jvm(), cleanup);
        AdminApi api = new AdminApi(cluster, options.limit());
        Feeds feeds = new Feeds(options.distribution(), options.limit(), work.resolve("feeds"), cleanup);
        SegmentReads segments = new SegmentReads(cluster, options.limit(), cleanup);
        load(api, feeds, upstream, SMALL, SMALL_POLICIES, SEED);
        String token = api.token("*");
        List<JettyProcess> jetty = new ArrayList<>();
        for (Cluster.Server server : cluster.servers()) {
            RawHttp.Head answer = RawHttp.ask(server.port(), poll(server.port(), token, etag(api)));
            jetty.add(JettyProcess.start(options.distribution(), server.pid(), answer.fields(), work, cleanup));
        }
        Yardstick yardstick = Yardstick.start(cluster, jetty.stream().map(JettyProcess::port).toList(),
                work.resolve("yardstick"), cleanup);
        return new Stage(options, cluster, api, feeds, upstream, token, List.copyOf(jetty), yardstick,
                api.manifest(SMALL), segments);
    }

    private static String etag(AdminApi api) throws IOException, InterruptedException {
        JsonNode head = api.head(SMALL);
        return "\"" + head.path("epoch").asText().substring(0, 8) + ".r" + head.path("revision").asLong() + "\"";
    }

    private static byte[] poll(int port, String token, String etag) {
        return RawHttp.get(port, "/v1/sets/" + SMALL,
                List.of("Authorization: Bearer " + token, "If-None-Match: " + etag));
    }

    /** A poll of the small set's head by one who has it. */
    byte[] poll(int port) throws IOException, InterruptedException {
        return poll(port, token, etag(api));
    }

    /** The request of a whole set, as it is now. */
    byte[] bundle(String set) throws IOException, InterruptedException {
        return RawHttp.get(cluster.port(), "/v1/sets/" + set + "/revisions/" + api.head(set).path("revision").asLong()
                + "/bundle.ndjson.gz", List.of("Authorization: Bearer " + token));
    }

    /** Defines a set and publishes its first revision. */
    void load(String set, long policies, long seed) throws IOException, InterruptedException {
        load(api, feeds, upstream, set, policies, seed);
    }

    private static void load(AdminApi api, Feeds feeds, Upstream upstream, String set, long policies, long seed)
            throws IOException, InterruptedException {
        Path feed = feeds.generate(policies, seed, 0);
        upstream.serve(feed, false);
        api.define(set, upstream.url());
        AdminApi.Run run = api.run(set, "published");
        Files.delete(feed);
        System.out.printf(Locale.ROOT, "  set %s: %,d policies published in %.1f s%n", set, policies, run.seconds());
    }

    /** How many policies have so many bytes, compressed. */
    long policiesOfCompressed(long bytes) {
        return Math.max(1, Math.round((double) bytes * sample.path("policies").asDouble()
                / sample.path("bytes").asDouble()));
    }

    /** How many policies have so many bytes, as a feed has them. */
    long policiesOfRaw(long bytes) {
        return Math.max(1, Math.round((double) bytes * sample.path("policies").asDouble()
                / sample.path("rawBytes").asDouble()));
    }

    /** The numbers of the server's processes. */
    List<Long> pids() {
        return cluster.servers().stream().map(Cluster.Server::pid).toList();
    }
}
