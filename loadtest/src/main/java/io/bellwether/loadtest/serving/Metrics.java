package io.bellwether.loadtest.serving;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

import io.bellwether.loadtest.bench.Cleanup;
import io.bellwether.loadtest.bench.Cluster;
import io.bellwether.loadtest.bench.ProcFs;
import io.bellwether.loadtest.bench.Programs;

/** What the processes of the server tell of themselves. */
final class Metrics {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private Metrics() {}

    /** The sum of a meter over its tags, of one process; nothing when it has no such meter. */
    static OptionalDouble value(Cluster.Server server, String name) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/metrics"))
                .timeout(LIMIT).build();
        List<Double> values = HTTP.send(request, HttpResponse.BodyHandlers.ofLines()).body()
                .filter(line -> line.startsWith(name + "{") || line.startsWith(name + " "))
                .map(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1))).toList();
        return values.isEmpty() ? OptionalDouble.empty()
                : OptionalDouble.of(values.stream().mapToDouble(Double::doubleValue).sum());
    }

    /** Bytes of the heap in use, after a collection where the tool for that is there ({@code jcmd}, part of a JDK). */
    static double heapBytes(Cluster.Server server, Cleanup cleanup) throws IOException, InterruptedException {
        Path jcmd = ProcFs.program(server.pid()).resolveSibling("jcmd");
        if (Files.isExecutable(jcmd)) {
            Programs.run(cleanup, LIMIT, Map.of(), List.of(jcmd.toString(), Long.toString(server.pid()), "GC.run"));
        }
        String name = "jvm_memory_used_bytes{area=\"heap\"";
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/metrics"))
                .timeout(LIMIT).build();
        return HTTP.send(request, HttpResponse.BodyHandlers.ofLines()).body().filter(line -> line.startsWith(name))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1))).sum();
    }
}
