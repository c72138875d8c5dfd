package io.bellwether.lease;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A work that begins, tells the test, and goes on when the test says so. Thread safe. */
final class GatedWork implements JobWork {
    /**
     * A run that has begun.
     *
     * @param lease as the work got it
     * @param go let it go on
     * @param done it has ended
     */
    record Begun(RunLease lease, CountDownLatch go, CountDownLatch done) {}

    private final JobWork then;
    private final boolean deaf;
    private final BlockingQueue<Begun> begun = new LinkedBlockingQueue<>();

    private GatedWork(JobWork then, boolean deaf) {
        this.then = then;
        this.deaf = deaf;
    }

    /** Listens to interrupts. */
    static GatedWork listening(JobWork then) {
        return new GatedWork(then, false);
    }

    /** Does not listen to interrupts, as a process that is stopped by SIGSTOP does not. */
    static GatedWork deaf(JobWork then) {
        return new GatedWork(then, true);
    }

    /** Waits for the next run to begin. */
    Begun awaitBegun() throws InterruptedException {
        Begun next = begun.poll(Cluster.SOON.toSeconds(), TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("no run began within " + Cluster.SOON);
        }
        return next;
    }

    @Override
    public RunResult perform(RunLease lease) throws Exception {
        Begun run = new Begun(lease, new CountDownLatch(1), new CountDownLatch(1));
        begun.add(run);
        try {
            boolean open = false;
            while (!open) {
                try {
                    open = run.go().await(60, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    if (!deaf) {
                        throw e;
                    }
                }
            }
            return then.perform(lease);
        } finally {
            run.done().countDown();
        }
    }
}
