package io.bellwether.loadtest.bulk;

import java.io.IOException;
import java.util.Locale;

import io.bellwether.loadtest.bench.AdminApi;
import io.bellwether.loadtest.bench.BenchmarkException;
import io.bellwether.loadtest.bench.Cleanup;
import io.bellwether.loadtest.bench.Cluster;
import io.bellwether.loadtest.bench.Postgres;
import io.bellwether.loadtest.bench.ProcFs;

/** Measures steps of a cluster, one after another, and says what each cost. */
final class Meter {
    private static final long LOOK_MILLIS = 1_000;
    /** CPU seconds from one look to the next below which a cluster is quiet; its heartbeats take some hundredths. */
    private static final double QUIET_SECONDS = 0.15;
    private static final int MOST_LOOKS = 120;

    private final Cluster cluster;
    private final Postgres postgres;

    Meter(Cluster cluster, Postgres postgres) {
        this.cluster = cluster;
        this.postgres = postgres;
    }

    /** A step: runs it, and tells how long it took. */
    @FunctionalInterface
    interface Step {
        AdminApi.Run run() throws Exception;
    }

    /** Runs a step that is no run of a job; its own time is taken. */
    static AdminApi.Run timed(Cleanup.Action action) throws Exception {
        long begun = System.nanoTime();
        action.run();
        return new AdminApi.Run("", (double) (System.nanoTime() - begun) / 1e9, 0, 0);
    }

    /**
     * Runs a step and measures it. Its time is its own; CPU time, log and memory are counted until the cluster is quiet
     * again, for a refresh leaves things to be done (segments brought to the disk cache of the host).
     */
    Measurement measure(String name, Step step) throws Exception {
        boolean ofStep = ProcFs.forgetPeak(cluster.serverPid());
        double serverBefore = ProcFs.cpuSeconds(cluster.serverPid());
        double postgresBefore = ProcFs.cpuSeconds(cluster.postgresPid());
        long walBefore = postgres.walPosition();
        AdminApi.Run run = step.run();
        awaitQuiet();
        Measurement measured = new Measurement(name, run.seconds(),
                ProcFs.cpuSeconds(cluster.serverPid()) - serverBefore,
                ProcFs.cpuSeconds(cluster.postgresPid()) - postgresBefore, postgres.walPosition() - walBefore,
                ProcFs.peakBytes(cluster.serverPid()), ofStep, run.upserts(), run.deletes());
        System.out.printf(Locale.ROOT, "  %-46s %9.3f s   CPU %7.2f + %6.2f s   WAL %9.3f MB   memory %4d MB%n", name,
                measured.seconds(), measured.serverCpuSeconds(), measured.postgresCpuSeconds(),
                (double) measured.walBytes() / 1e6, measured.peakBytes() >> 20);
        return measured;
    }

    private void awaitQuiet() throws Exception {
        double before = cpuSeconds();
        for (int i = 0; i < MOST_LOOKS; i++) {
            Thread.sleep(LOOK_MILLIS);
            double now = cpuSeconds();
            if (now - before < QUIET_SECONDS) {
                return;
            }
            before = now;
        }
        throw new BenchmarkException("the cluster does not become quiet: it is busy with something else");
    }

    private double cpuSeconds() throws IOException {
        return ProcFs.cpuSeconds(cluster.serverPid()) + ProcFs.cpuSeconds(cluster.postgresPid());
    }
}
