package io.bellwether.loadtest.scale;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.bellwether.loadtest.bench.BenchmarkException;
import io.bellwether.loadtest.bench.Property;

/**
 * What is measured, from system properties.
 *
 * @param processes the numbers of processes, rising
 * @param simulations some of {@link #SIMULATIONS}
 * @param seconds how long each loads
 * @param servers how many servers each plays; 0 for as many as it does by itself
 * @param policies of the set
 * @param distribution the folder that has {@code bin/bellwether}
 * @param work where the temporary folder is made
 * @param results where the results go
 * @param limit how long any single step may take
 */
record Options(List<Integer> processes, List<String> simulations, int seconds, int servers, int policies,
        Path distribution, Path work, Path results, Duration limit) {
    static final List<String> SIMULATIONS = List.of("Polls", "Waits", "Cold", "Deltas", "Herd", "Rolling", "Mixed");

    private static final int MOST_PROCESSES = 64;

    /** Reads the properties. */
    static Options read() {
        List<String> simulations = words(System.getProperty("simulations", String.join(",", SIMULATIONS)));
        if (!SIMULATIONS.containsAll(simulations)) {
            throw new BenchmarkException("-Dsimulations takes some of " + String.join(",", SIMULATIONS));
        }
        return new Options(processes(System.getProperty("processes", "1,2,4,8")), simulations,
                Property.number("seconds", 30, 5, 3600), Property.number("servers", 0, 0, 100_000),
                Property.number("policies", 20_000, 100, 10_000_000), Property.distribution(), Property.work(),
                Property.results(), Duration.ofMinutes(Property.number("minutes", 20, 1, 24 * 60)));
    }

    private static List<String> words(String text) {
        return Arrays.stream(text.split(",", -1)).map(String::strip).toList();
    }

    private static List<Integer> processes(String text) {
        try {
            List<Integer> numbers = words(text).stream().map(Integer::parseInt).toList();
            for (int i = 0; i < numbers.size(); i++) {
                if (numbers.get(i) < 1 || numbers.get(i) > MOST_PROCESSES
                        || i > 0 && numbers.get(i) <= numbers.get(i - 1)) {
                    throw new NumberFormatException();
                }
            }
            return numbers;
        } catch (NumberFormatException e) {
            throw new BenchmarkException("-Dprocesses takes rising numbers from 1 to " + MOST_PROCESSES
                    + " with commas between them, not " + text, e);
        }
    }

    /** For people. */
    Map<String, String> told() {
        Map<String, String> told = new LinkedHashMap<>();
        told.put("processes", processes.toString());
        told.put("simulations", String.join(",", simulations));
        told.put("seconds", Integer.toString(seconds));
        told.put("servers", servers == 0 ? "as each simulation has it" : Integer.toString(servers));
        told.put("policies", Integer.toString(policies));
        return told;
    }
}
