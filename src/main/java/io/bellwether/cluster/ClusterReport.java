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
    private static final Duration DEMO_AGAIN = Duration.ofSeconds(3);
    /** A front that was killed is back by then, and its end was told already. */
    private static final Duration OUTAGE_TOLD_AFTER = Duration.ofSeconds(4);
    private static final Duration LOOK_EACH = Duration.ofMillis(500);

    private final LocalCluster cluster;
    private final AdminClient client;
    private final SkippedTicks skipped = new SkippedTicks();
    private final Consumer<String> say;
    private final Periodic looking;
    private final Periodic demoAgain;
    private final InstantSource clock;
    private boolean demoMade;
    private volatile @Nullable DemoUpstream upstream;
    private long unansweredSince;
    private boolean saidUnanswered;

    private ClusterReport(LocalCluster cluster, InstantSource clock, ZoneId zone, Consumer<String> say) {
        this.cluster = cluster;
        this.clock = clock;
        this.client = new AdminClient(cluster.url());
        this.say = say;
        TickReporter reporter = new TickReporter(client, cluster.adminToken(), skipped, cluster::label,
                () -> cluster.processes() - 1, zone, say);
        this.looking = new Periodic("tick-report", Duration.ofSeconds(2), () -> {
            look(reporter);
            return LOOK_EACH;
        });
        this.demoAgain = new Periodic("demo-again", DEMO_AGAIN, this::demoAgain);
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
        ClusterReport report = new ClusterReport(cluster, clock, zone, say);
        long begun = System.nanoTime();
        cluster.follow(report.skipped::hear);
        String trouble = "";
        try {
            if (demo) {
                report.startDemo();
            } else {
                new Demo(report.client, cluster.adminToken(), cluster.secrets()).disable();
            }
        } catch (IOException | ClusterException e) {
            trouble = "the cluster runs, but " + (e instanceof ClusterException ? "" : "the demo set was not reached: ")
                    + UserFolders.reason(e) + (demo ? "; it is tried again" : "");
        } catch (InterruptedException e) {
            report.close();
            throw e;
        }
        report.sayReady(took.plusNanos(System.nanoTime() - begun));
        if (!trouble.isEmpty()) {
            say.accept(trouble);
        }
        report.looking.start();
        if (demo && !report.demoMade) {
            report.demoAgain.start();
        }
        return report;
    }

    private void startDemo() throws IOException, InterruptedException, ClusterException {
        DemoUpstream feed = upstream;
        if (feed == null) {
            feed = DemoUpstream.start(cluster.choosePort("demo-upstream", DEMO_UPSTREAM_FROM), clock);
            upstream = feed;
        }
        cluster.demoToken(new Demo(client, cluster.adminToken(), cluster.secrets()).start(feed.url()));
        demoMade = true;
    }

    /** Quietly, until it works: that it does not was said once. */
    private Duration demoAgain() throws InterruptedException {
        if (demoMade) {
            return Duration.ofDays(1);
        }
        try {
            startDemo();
            say.accept("the demo set is made; a server's token that may read it: " + cluster.describe().demoToken());
        } catch (IOException | ClusterException e) {
            // said at the start
        }
        return DEMO_AGAIN;
    }

    /** An outage of the front is one line at most: what ended and came back is told by the cluster. */
    private void look(TickReporter reporter) throws InterruptedException {
        try {
            reporter.look();
            unansweredSince = 0;
            saidUnanswered = false;
        } catch (IOException e) {
            long now = System.nanoTime();
            unansweredSince = unansweredSince == 0 ? now : unansweredSince;
            if (!saidUnanswered && now - unansweredSince > OUTAGE_TOLD_AFTER.toNanos()) {
                saidUnanswered = true;
                say.accept("no answer from " + cluster.url() + " (" + UserFolders.reason(e)
                        + "): no ticks are told until there is one");
            }
        }
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
        demoAgain.stop(Duration.ofMillis(200));
    }

    @Override
    public void close() {
        stopFollowing();
        client.close();
        DemoUpstream feed = upstream;
        if (feed != null) {
            feed.close();
        }
    }
}
