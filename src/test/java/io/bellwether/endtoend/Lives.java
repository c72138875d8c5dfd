package io.bellwether.endtoend;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.bellwether.cluster.ClusterFile;
import io.bellwether.cluster.LocalCluster;

/**
 * From when to when each process was up, as a test sees it that kills them: a take-over cannot come from a process that is
 * still starting. Not thread safe.
 */
final class Lives {
    /** A process was ready from the one instant to the other. */
    record Life(Instant from, Instant to) {
        /** How much of that time falls between the two instants. */
        Duration within(Instant begin, Instant end) {
            Instant first = from.isAfter(begin) ? from : begin;
            Instant last = to.isBefore(end) ? to : end;
            return first.isBefore(last) ? Duration.between(first, last) : Duration.ZERO;
        }
    }

    private final LocalCluster cluster;
    private final Map<Long, Instant> begun = new HashMap<>();
    private final List<Life> ended = new ArrayList<>();
    private Instant someUp = Instant.now();
    private Duration noneUp = Duration.ZERO;

    Lives(LocalCluster cluster) {
        this.cluster = cluster;
    }

    /** Looks who is ready now; to be called often. Returns their numbers. */
    List<Integer> look() {
        Instant now = Instant.now();
        List<Integer> ready = new ArrayList<>();
        List<ClusterFile.ServeProcess> processes = cluster.describe().processes();
        for (int number = 1; number <= processes.size(); number++) {
            ClusterFile.ServeProcess process = processes.get(number - 1);
            if (!process.name().isEmpty() && cluster.process(number).isAlive()) {
                begun.putIfAbsent(process.pid(), now);
                ready.add(number);
            }
        }
        if (!ready.isEmpty()) {
            Duration none = Duration.between(someUp, now);
            noneUp = none.compareTo(noneUp) > 0 ? none : noneUp;
            someUp = now;
        }
        return ready;
    }

    /** Ends a process (SIGKILL). */
    void kill(int number) {
        Instant from = begun.remove(cluster.process(number).pid());
        if (from != null) {
            ended.add(new Life(from, Instant.now()));
        }
        cluster.process(number).kill();
    }

    /** All lives so far. */
    List<Life> all() {
        List<Life> all = new ArrayList<>(ended);
        begun.values().forEach(from -> all.add(new Life(from, Instant.now())));
        return all;
    }

    /** The longest time without any. */
    Duration noneUp() {
        return noneUp;
    }
}
