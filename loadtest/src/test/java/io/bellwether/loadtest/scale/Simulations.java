package io.bellwether.loadtest.scale;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.bellwether.loadtest.bench.AdminApi;
import io.bellwether.loadtest.bench.BenchmarkException;
import io.bellwether.loadtest.bench.Cleanup;
import io.bellwether.loadtest.bench.Cluster;
import io.bellwether.loadtest.bench.Feeds;
import io.bellwether.loadtest.bench.Latencies;
import io.bellwether.loadtest.bench.Programs;
import io.bellwether.loadtest.bench.Upstream;

/** Runs simulations against a cluster of its own, each in a Java of its own. */
final class Simulations {
    private static final String SET = "fleet";
    private static final long SEED = 1;
    private static final double CHANGE = 0.01;
    /** Those that need news. */
    private static final Set<String> WITH_PUBLISHES = Set.of("Waits", "Deltas", "Mixed");
    /** What Gatling's exit code says of missed thresholds; what else is not 0 is a failure of the simulation itself. */
    private static final int MISSED = 2;
    private static final int HALTED = 1;
    private static final int RESTART_SECONDS = 10;
    private static final int LAST_WORDS = 3_000;

    private final Options options;
    private final int processes;
    private final Path folder;
    private final Cleanup cleanup;
    private final Upstream upstream = new Upstream();
    private final Cluster cluster;
    private final AdminApi api;
    private final String token;
    private final List<Path> feeds;

    /** Starts a cluster with a published set. */
    Simulations(Options options, int processes, Path folder, Cleanup cleanup) throws IOException, InterruptedException {
        this.options = options;
        this.processes = processes;
        this.folder = folder;
        this.cleanup = cleanup;
        cleanup.add(upstream::close);
        cluster = Cluster.start(options.distribution(), folder.resolve("cluster"), processes, "", cleanup);
        api = new AdminApi(cluster, options.limit());
        Feeds made = new Feeds(options.distribution(), options.limit(), folder.resolve("feeds"), cleanup);
        feeds = List.of(made.generate(options.policies(), SEED, 0), made.generate(options.policies(), SEED, CHANGE));
        upstream.serve(feeds.get(0), false);
        api.define(SET, upstream.url());
        api.run(SET, "published");
        token = api.token(SET);
    }

    /** Runs one to its end. */
    Outcome run(String simulation) throws Exception {
        Path results = Files.createDirectory(folder.resolve(simulation));
        Path lateness = folder.resolve(simulation + "-lateness.json");
        Programs.Ended ended;
        if (WITH_PUBLISHES.contains(simulation)) {
            try (Publisher publisher = new Publisher(api, upstream, SET, feeds)) {
                ended = Programs.attempt(cleanup, options.limit(), Map.of(), command(simulation, results, lateness));
            }
        } else {
            ended = Programs.attempt(cleanup, options.limit(), Map.of(), command(simulation, results, lateness));
        }
        if (ended.status() != 0 && ended.status() != MISSED && ended.status() != HALTED) {
            throw new BenchmarkException(simulation + " ended with " + ended.status() + ": " + lastWords(ended));
        }
        if (ended.status() != 0) {
            System.err.println(lastWords(ended));
        }
        Latencies.Summary late = Files.exists(lateness)
                ? new ObjectMapper().readValue(lateness.toFile(), Latencies.Summary.class)
                : null;
        return new Outcome(simulation, processes, ended.status() == 0, read(results), late);
    }

    private Map<String, GatlingLog.Requests> read(Path results) throws IOException, InterruptedException {
        Path read = results.resolve("requests.json");
        List<String> command = new ArrayList<>(java());
        command.addAll(List.of(GatlingLog.class.getName(), results.toString(), read.toString()));
        Programs.run(cleanup, options.limit(), Map.of(), command);
        return new ObjectMapper().readValue(read.toFile(), new TypeReference<>() {});
    }

    private static String lastWords(Programs.Ended ended) {
        return ended.output().substring(Math.max(0, ended.output().length() - LAST_WORDS));
    }

    private List<String> command(String simulation, Path results, Path lateness) {
        int seconds = simulation.equals("Rolling")
                ? Math.max(options.seconds(), RESTART_SECONDS * (processes + 1))
                : options.seconds();
        List<String> command = new ArrayList<>(java());
        command.addAll(List.of("-Durl=" + cluster.url(),
                "-Dtoken=" + token, "-Dset=" + SET, "-Dseconds=" + seconds, "-Dlateness=" + lateness,
                "-Ddir=" + cluster.folder(), "-Dbellwether=" + options.distribution().resolve("bin/bellwether"),
                // As fast as answers come.
                "-Dpause=0"));
        if (options.servers() > 0) {
            command.add("-Dservers=" + options.servers());
        }
        command.addAll(List.of("io.gatling.app.Gatling", "-s", "io.bellwether.loadtest." + simulation, "-rf",
                results.toString(), "-nr"));
        return command;
    }

    private static List<String> java() {
        return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx1g",
                "-Djava.awt.headless=true", "--add-opens=java.base/java.lang=ALL-UNNAMED", "-cp", classPath());
    }

    /** What this program itself was loaded from. */
    private static String classPath() {
        if (!(Simulations.class.getClassLoader() instanceof URLClassLoader loader)) {
            return System.getProperty("java.class.path");
        }
        StringJoiner path = new StringJoiner(":");
        for (URL url : loader.getURLs()) {
            try {
                path.add(Path.of(url.toURI()).toString());
            } catch (URISyntaxException e) {
                throw new BenchmarkException("the class path has no file of " + url, e);
            }
        }
        return path.toString();
    }
}
