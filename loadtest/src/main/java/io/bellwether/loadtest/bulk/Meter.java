package io.bellwether.loadtest.bulk;

import java.util.Locale;

/** Measures steps of a cluster, one after another, and says what each cost. */
final class Meter {
    /** What a step leaves to be done behind its back (files, closing of connections) counts if it is done by then. */
    private static final long SETTLE_MILLIS = 1_000;

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

    /** Runs a step and measures it. */
    Measurement measure(String name, Step step) throws Exception {
        boolean ofStep = ProcFs.forgetPeak(cluster.serverPid());
        double serverBefore = ProcFs.cpuSeconds(cluster.serverPid());
        double postgresBefore = ProcFs.cpuSeconds(cluster.postgresPid());
        long walBefore = postgres.walPosition();
        AdminApi.Run run = step.run();
        Thread.sleep(SETTLE_MILLIS);
        Measurement measured = new Measurement(name, run.seconds(),
                ProcFs.cpuSeconds(cluster.serverPid()) - serverBefore,
                ProcFs.cpuSeconds(cluster.postgresPid()) - postgresBefore, postgres.walPosition() - walBefore,
                ProcFs.peakBytes(cluster.serverPid()), ofStep, run.upserts(), run.deletes());
        System.out.printf(Locale.ROOT, "  %-46s %9.3f s   CPU %7.2f + %6.2f s   WAL %9.3f MB   memory %4d MB%n", name,
                measured.seconds(), measured.serverCpuSeconds(), measured.postgresCpuSeconds(),
                (double) measured.walBytes() / 1e6, measured.peakBytes() >> 20);
        return measured;
    }
}
