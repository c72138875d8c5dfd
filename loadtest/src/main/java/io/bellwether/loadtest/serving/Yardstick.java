package io.bellwether.loadtest.serving;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.bellwether.loadtest.bench.BenchmarkException;
import io.bellwether.loadtest.bench.Cleanup;
import io.bellwether.loadtest.bench.Cluster;
import io.bellwether.loadtest.bench.ProcFs;
import io.bellwether.loadtest.bench.Programs;

/**
 * A second nginx: the program of the cluster's own, with its very configuration, before other processes and on another
 * port; and, on a port more, a server of static files.
 *
 * @param pid of its master
 * @param port the front of the other processes
 * @param staticPort of the static files
 * @param files their folder
 */
record Yardstick(long pid, int port, int staticPort, Path files) {
    private static final long START_NANOS = 30_000_000_000L;
    private static final Pattern SERVERS = Pattern.compile("(?m)(^\\s*server 127\\.0\\.0\\.1:[0-9]+ max_fails=0;\\s*$\\n?)+");

    /**
     * Starts it and waits until it answers.
     *
     * @param upstreams ports of the other processes; at least one
     * @param folder its own, made if need be
     */
    static Yardstick start(Cluster cluster, List<Integer> upstreams, Path folder, Cleanup cleanup)
            throws IOException, InterruptedException {
        Path own = Files.createDirectories(folder.resolve("nginx"));
        for (String needed : List.of("nginx/temp", "nginx/cache", "logs", "files")) {
            Files.createDirectories(folder.resolve(needed));
        }
        Path theirs = cluster.folder().resolve("nginx");
        try (Stream<Path> all = Files.list(theirs)) {
            for (Path file : all.filter(path -> path.getFileName().toString().endsWith(".conf")).toList()) {
                Files.copy(file, own.resolve(file.getFileName()));
            }
        }
        int port = freePort();
        int staticPort = freePort();
        Path files = folder.resolve("files");
        Path configuration = own.resolve("nginx.conf");
        Files.writeString(configuration, configure(Files.readString(configuration, StandardCharsets.UTF_8),
                cluster.port(), port, upstreams, staticPort, files), StandardCharsets.UTF_8);
        Path output = folder.resolve("nginx.log");
        Process process = Programs.start(List.of(ProcFs.program(cluster.nginxPid()).toString(), "-p", own + "/", "-c",
                configuration.toString()), Map.of(), output);
        cleanup.add(() -> Programs.stop(process));
        Yardstick started = new Yardstick(process.pid(), port, staticPort, files);
        Files.writeString(files.resolve("ready"), "ready\n");
        long end = System.nanoTime() + START_NANOS;
        while (!started.answers()) {
            if (!process.isAlive() || System.nanoTime() - end > 0) {
                throw new BenchmarkException("the second nginx did not start: "
                        + Files.readString(output, StandardCharsets.UTF_8));
            }
            Thread.sleep(50);
        }
        return started;
    }

    /** Makes the configuration of the cluster's own nginx into that of the second one. */
    static String configure(String text, int theirPort, int port, List<Integer> upstreams, int staticPort, Path files) {
        Matcher servers = SERVERS.matcher(text);
        String listen = "listen 127.0.0.1:" + theirPort + ";";
        int end = text.lastIndexOf('}');
        if (!servers.find() || !text.contains(listen) || end < 0) {
            throw new BenchmarkException("nginx.conf of the cluster has not the form that this benchmark knows");
        }
        String others = upstreams.stream().map(upstream -> "        server 127.0.0.1:" + upstream + " max_fails=0;\n")
                .collect(Collectors.joining());
        String with = text.substring(0, end) + "    server {\n        listen 127.0.0.1:" + staticPort
                + ";\n        root \"" + files + "\";\n    }\n}\n";
        return SERVERS.matcher(with).replaceFirst(Matcher.quoteReplacement(others)).replace(listen,
                "listen 127.0.0.1:" + port + ";");
    }

    private boolean answers() {
        try {
            return RawHttp.ask(staticPort, RawHttp.get(staticPort, "/ready", List.of())).status() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    /** A request for a 304 to a static file, which is made if need be. */
    byte[] staticPoll(byte[] content) throws IOException {
        Files.write(files.resolve("head.json"), content);
        String etag = RawHttp.ask(staticPort, RawHttp.get(staticPort, "/head.json", List.of())).field("ETag")
                .orElseThrow(() -> new BenchmarkException("the second nginx gives static files no tag"));
        return RawHttp.get(staticPort, "/head.json", List.of("If-None-Match: " + etag));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
