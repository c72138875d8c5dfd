package io.bellwether.cluster;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.bellwether.lifecycle.Periodic;

/**
 * What a person sees of a running cluster: where everything is, lines to paste, and then a line per tick. With the demo it
 * also owns the upstream.
 */
public final class ClusterReport implements AutoCloseable {
    private static final int DEMO_UPSTREAM_FROM = 7901;
    private static final Duration LOOK_EACH = Duration.ofMillis(500);

    private final LocalCluster cluster;
    private final AdminClient client;
    private final SkippedTicks skipped = new SkippedTicks();
    private final Consumer<String> say;
    private final Periodic looking;
    private @Nullable DemoUpstream upstream;

    private ClusterReport(LocalCluster cluster, ZoneId zone, Consumer<String> say) {
        this.cluster = cluster;
        this.client = new AdminClient(cluster.url());
        this.say = say;
        TickReporter reporter = new TickReporter(client, cluster.adminToken(), skipped, cluster::label,
                () -> cluster.processes() - 1, zone, say);
        this.looking = new Periodic("tick-report", Duration.ofSeconds(2), () -> {
            reporter.look();
            return LOOK_EACH;
        });
    }

    /**
     * Starts the demo if it is wanted, says that the cluster is ready, and follows the ticks until it is closed.
     *
     * @param took how long the start took so far
     * @param zone for the times of ticks
     * @param say gets the lines
     */
    public static ClusterReport start(LocalCluster cluster, boolean demo, Duration took, InstantSource clock,
            ZoneId zone,
            Consumer<String> say) throws InterruptedException {
        ClusterReport report = new ClusterReport(cluster, zone, say);
        long begun = System.nanoTime();
        cluster.follow(report.skipped::hear);
        String trouble = "";
        try {
            if (demo) {
                report.startDemo(clock);
            } else {
                new Demo(report.client, cluster.adminToken(), cluster.secrets()).disable();
            }
        } catch (IOException | ClusterException e) {
            trouble = "the cluster runs, but " + e.getMessage();
        } catch (InterruptedException e) {
            report.close();
            throw e;
        }
        report.sayReady(took.plusNanos(System.nanoTime() - begun));
        if (!trouble.isEmpty()) {
            say.accept(trouble);
        }
        report.looking.start();
        return report;
    }

    private void startDemo(InstantSource clock) throws IOException, InterruptedException, ClusterException {
        DemoUpstream started = DemoUpstream.start(cluster.choosePort("demo-upstream", DEMO_UPSTREAM_FROM), clock);
        upstream = started;
        Demo demo = new Demo(client, cluster.adminToken(), cluster.secrets());
        cluster.demoToken(demo.start(started.url()));
    }

    private void sayReady(Duration took) {
        ClusterFile now = cluster.describe();
        String ports = now.processes().stream().map(p -> Integer.toString(p.port())).collect(Collectors.joining(" "));
        say.accept(String.format(Locale.ROOT, "ready after %.1f s: %s, nginx before %d processes on ports %s",
                took.toMillis() / 1000.0, now.url(), now.processes().size(), ports));
        say.accept("");
        say.accept(
                "  folder       " + cluster.dir() + " (its logs are in logs, addresses and passwords in cluster.json)");
        say.accept("  admin token  " + now.adminToken());
        for (String line : lines(now)) {
            say.accept(line);
        }
        say.accept("");
        say.accept("ctrl-C stops all of it. A line per tick:");
    }

    private static List<String> lines(ClusterFile now) {
        String url = now.url();
        String admin = "  curl -s -H 'Authorization: Bearer " + now.adminToken() + "' ";
        if (now.demoToken() == null) {
            return List.of("", admin + url + "/v1/admin/processes", admin + url + "/v1/admin/jobs");
        }
        String server = "  curl -s -H 'Authorization: Bearer " + now.demoToken() + "' ";
        String set = url + "/v1/sets/" + Demo.SET;
        return List.of("  a server's   " + now.demoToken() + " (may read the set " + Demo.SET + ")", "",
                server + set, server + "-L " + set + "/bundle.ndjson.gz | gzip -dc | head -3",
                server + "'" + set + "/policies?limit=3'",
                admin + "'" + url + "/v1/admin/jobs/" + Demo.SET + "/runs?limit=5'");
    }

    /**
     * Ends the report, to be called before the cluster is closed. The upstream stays for runs that are finishing:
     * {@link #close} ends it.
     */
    public void stopFollowing() {
        looking.stop(Duration.ofSeconds(1));
    }

    @Override
    public void close() {
        stopFollowing();
        client.close();
        if (upstream != null) {
            upstream.close();
        }
    }
}
