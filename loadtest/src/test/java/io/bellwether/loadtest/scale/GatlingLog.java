package io.bellwether.loadtest.scale;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.gatling.charts.stats.GeneralStats;
import io.gatling.charts.stats.Group;
import io.gatling.charts.stats.LogFileData;
import io.gatling.charts.stats.LogFileReader;
import io.gatling.charts.stats.RequestStatsPath;
import io.gatling.charts.stats.StatsPath;
import io.gatling.commons.stats.KO$;
import io.gatling.commons.stats.Status;
import io.gatling.core.config.GatlingConfiguration;
import io.gatling.core.config.GatlingConfiguration$;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

import io.bellwether.loadtest.bench.BenchmarkException;

/**
 * Reads what Gatling wrote of a simulation, with Gatling's own reader; a program of its own, because that reader wants a
 * Java with special permissions, as Gatling itself does.
 */
public final class GatlingLog {
    private GatlingLog() {}

    /**
     * Reads a log.
     *
     * @param args the folder that the simulation was told to write its own one into, and the file to be written: an object
     *        with a member for each name of requests, see {@link Requests}
     */
    public static void main(String[] args) throws IOException {
        Files.write(Path.of(args[1]), new ObjectMapper().writeValueAsBytes(read(Path.of(args[0]))));
    }

    /**
     * What became of the requests of one name.
     *
     * @param count how many
     * @param failed of them
     * @param perSecond of all, from the first to the last of the simulation
     * @param p50Millis what half of them stayed below
     * @param p99Millis what 99 of 100 stayed below
     */
    public record Requests(long count, long failed, double perSecond, double p50Millis, double p99Millis) {}

    private static Map<String, Requests> read(Path results) throws IOException {
        try (Stream<Path> all = Files.list(results)) {
            List<Path> runs = all.filter(Files::isDirectory).toList();
            if (runs.size() != 1) {
                throw new BenchmarkException("Gatling left " + runs.size() + " results instead of one");
            }
            GatlingConfiguration configuration = GatlingConfiguration$.MODULE$.load();
            LogFileData data = LogFileReader.apply(runs.get(0).getFileName().toString(), results, configuration)
                    .read();
            Map<String, Requests> requests = new TreeMap<>();
            for (StatsPath path : CollectionConverters.asJava(data.statsPaths())) {
                if (path instanceof RequestStatsPath request) {
                    requests.put(request.request(), of(data, request.request()));
                }
            }
            return requests;
        }
    }

    private static Requests of(LogFileData data, String name) {
        GeneralStats all = stats(data, name, Option.empty()).get();
        Option<GeneralStats> failed = stats(data, name, Option.apply(KO$.MODULE$));
        return new Requests(all.count(), failed.isEmpty() ? 0 : failed.get().count(), all.meanRequestsPerSec(),
                percentile(all, 50), percentile(all, 99));
    }

    private static Option<GeneralStats> stats(LogFileData data, String name, Option<Status> status) {
        return data.requestGeneralStats(Option.apply(name), Option.<Group>empty(), status);
    }

    private static double percentile(GeneralStats stats, double rank) {
        return ((Number) stats.percentile().apply(rank)).doubleValue();
    }
}
