package io.bellwether.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** The {@code serve} processes of the cluster, numbered from 1. Thread-safe. */
final class ServeFleet {
    private static final Duration START_LIMIT = Duration.ofMinutes(2);

    /** The status of a process that cannot do what it was told, however often it is started. */
    static final int REFUSED = 2;
    static final int PORT_TRIES = 5;
    private static final long PAUSE_MS = 20;

    private final List<Integer> ports;
    /** By index: how often in a row it could not have its port. */
    private final List<Integer> missed;
    private final List<Child> children = new ArrayList<>();
    private final ServeProbe probe;
    /** By pid: a process that was started again has a new name. */
    private final Map<Long, String> names = new ConcurrentHashMap<>();

    ServeFleet(List<Integer> ports, ServeProbe probe) {
        this.ports = new CopyOnWriteArrayList<>(ports);
        this.missed = new CopyOnWriteArrayList<>(Collections.nCopies(ports.size(), 0));
        this.probe = probe;
    }

    void add(Child child) {
        children.add(child);
    }

    Child get(int number) {
        return children.get(number - 1);
    }

    List<Child> children() {
        return children;
    }

    List<Integer> ports() {
        return List.copyOf(ports);
    }

    int port(int number) {
        return ports.get(number - 1);
    }

    /** Has a process that could not have its port listen elsewhere from its next start on. */
    void move(int number, int port) {
        ports.set(number - 1, port);
        missed.set(number - 1, missed.get(number - 1) + 1);
    }

    /** Its number, and the name; the name alone when none of these has it now. */
    String label(String name) {
        for (Child child : children) {
            if (name.equals(names.get(child.pid()))) {
                return child.name() + " (" + name + ")";
            }
        }
        return name;
    }

    List<ClusterFile.ServeProcess> describe() {
        List<ClusterFile.ServeProcess> described = new ArrayList<>();
        for (int i = 0; i < children.size(); i++) {
            long pid = children.get(i).pid();
            int port = ports.get(i);
            described.add(
                    new ClusterFile.ServeProcess(names.getOrDefault(pid, ""), pid, port, "http://127.0.0.1:" + port));
        }
        return described;
    }

    /**
     * Waits until all are ready, as each says itself.
     *
     * @param starting whether one that is dead is an error, instead of something the supervisor mends
     * @throws ClusterException when not all are ready in time
     */
    void awaitReady(boolean starting) throws InterruptedException, ClusterException {
        long end = System.nanoTime() + START_LIMIT.toNanos();
        while (!learnNames(starting)) {
            if (System.nanoTime() - end > 0) {
                throw new ClusterException("not all processes are ready after " + START_LIMIT.toSeconds()
                        + " s; their logs are " + children.getFirst().log().file() + " and beside it");
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
        }
    }

    /**
     * Asks those whose name is not known whether they are ready.
     *
     * @param starting whether one that is dead is an error, instead of something the supervisor mends
     * @return whether all are
     */
    boolean learnNames(boolean starting) throws InterruptedException, ClusterException {
        boolean all = true;
        for (int i = 0; i < children.size(); i++) {
            Child child = children.get(i);
            OptionalInt ended = child.status();
            if (starting && ended.isPresent() && !mayMove(i, child, ended.getAsInt())) {
                throw new ClusterException("process " + (i + 1) + " ended while starting (" + status(ended.getAsInt())
                        + "): " + child.lastLine() + "; its log is " + child.log().file());
            }
            long pid = child.pid();
            if (!names.containsKey(pid)) {
                Optional<String> name = child.isAlive() ? probe.readyName(ports.get(i), pid) : Optional.empty();
                if (name.isPresent()) {
                    names.put(pid, name.get());
                    missed.set(i, 0);
                }
                all &= name.isPresent();
            } else {
                all &= !child.isComingBack();
            }
        }
        return all;
    }

    private boolean mayMove(int index, Child child, int status) {
        return status == REFUSED && missed.get(index) < PORT_TRIES && child.missedItsPort();
    }

    /** Asks all to stop, waits for them together, kills those that do not. */
    void stop(Duration limit) throws InterruptedException {
        children.forEach(Child::askToStop);
        long end = System.nanoTime() + limit.toNanos();
        for (Child child : children) {
            child.awaitStop(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
        }
    }

    void start() throws IOException {
        for (Child child : children) {
            child.start();
        }
    }

    /** How a process ended, in words. */
    static String status(int exit) {
        return exit > 128 ? "killed by signal " + (exit - 128) : "exit status " + exit;
    }
}
