package io.bellwether.loadtest.scale;

import java.util.Map;

import io.bellwether.loadtest.bench.Latencies;

/**
 * What came of one simulation with one number of processes.
 *
 * @param simulation its name
 * @param processes of the server
 * @param passed whether its own thresholds were kept
 * @param requests by their names
 * @param lateness how long after its publish news came to those that waited; null where nobody did
 */
record Outcome(String simulation, int processes, boolean passed, Map<String, GatlingLog.Requests> requests,
        Latencies.Summary lateness) {
    /** The request that the simulation is about. */
    private static final Map<String, String> MAIN = Map.of("Polls", "head", "Waits", "wait", "Cold", "bundle",
            "Deltas", "changes", "Herd", "first", "Rolling", "head", "Mixed", "head");

    /** All requests a second. */
    double perSecond() {
        return requests.values().stream().mapToDouble(GatlingLog.Requests::perSecond).sum();
    }

    long count() {
        return requests.values().stream().mapToLong(GatlingLog.Requests::count).sum();
    }

    long failed() {
        return requests.values().stream().mapToLong(GatlingLog.Requests::failed).sum();
    }

    /** Whether what it is about waits by itself, so that its time says nothing. */
    boolean isAboutWaiting() {
        return simulation.equals("Waits") || simulation.equals("Deltas");
    }

    /** What {@link #p50Millis} and {@link #p99Millis} are of, in words. */
    String timed() {
        return isAboutWaiting() ? lateness == null ? "" : "from publish to answer" : MAIN.get(simulation);
    }

    double p50Millis() {
        return isAboutWaiting() ? lateness == null ? Double.NaN : lateness.p50Millis() : main().p50Millis();
    }

    double p99Millis() {
        return isAboutWaiting() ? lateness == null ? Double.NaN : lateness.p99Millis() : main().p99Millis();
    }

    private GatlingLog.Requests main() {
        return requests.getOrDefault(MAIN.get(simulation), new GatlingLog.Requests(0, 0, 0, Double.NaN, Double.NaN));
    }
}
