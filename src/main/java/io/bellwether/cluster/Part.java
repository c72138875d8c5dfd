package io.bellwether.cluster;

import java.io.IOException;

/** One process of the cluster, for a test or a person to break and mend. Thread-safe. */
public final class Part {
    private final Child child;
    private final Ready ready;

    /** Waits until the part answers. */
    @FunctionalInterface
    interface Ready {
        void await() throws IOException, InterruptedException, ClusterException;
    }

    Part(Child child, Ready ready) {
        this.child = child;
        this.ready = ready;
    }

    /** Its number now, or that of the one that died last. */
    public long pid() {
        return child.pid();
    }

    /** Whether it runs now; a stopped (SIGSTOP) one does. */
    public boolean isAlive() {
        return child.isAlive();
    }

    /** Sends a signal: {@code STOP}, {@code CONT}, {@code TERM} … If it dies of it, it is started again after a second. */
    public void signal(String signal) {
        child.signal(signal);
    }

    /** SIGKILL. It is started again after a second. */
    public void kill() {
        child.kill();
    }

    /** Stops it in order and keeps it stopped until {@link #start}. */
    public void stop() throws InterruptedException {
        child.stop();
    }

    void awaitReady() throws IOException, InterruptedException, ClusterException {
        ready.await();
    }

    boolean missedItsPort() {
        return child.missedItsPort();
    }

    /** Starts it, unless it runs, and waits until it answers. */
    public void start() throws IOException, InterruptedException, ClusterException {
        child.start();
        ready.await();
    }
}
