package io.bellwether.cluster;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.UnaryOperator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.jspecify.annotations.Nullable;

import io.bellwether.testing.Eventually;

/** The repository's own nginx configuration in a real nginx, before whatever listens on some ports. */
final class TestFront implements AutoCloseable {
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final Path root;
    private final NginxServer nginx;
    private final Child child;

    /**
     * Starts it.
     *
     * @param root a folder that is empty
     * @param processes where it looks for processes
     * @param tls whether it takes TLS as well
     * @param edits changes of the configuration, by the name of the file
     */
    TestFront(Path root, List<Integer> processes, ClusterOptions.@Nullable Tls tls,
            Map<String, UnaryOperator<String>> edits) throws Exception {
        this.root = root;
        ClusterDir dir = new ClusterDir(root);
        dir.create();
        Path cache = UserFolders.cache(System.getenv(), root.resolve("cache"));
        nginx = new NginxServer(dir, new NginxProgram(cache, _ -> {}).find(null),
                new Ports(dir.ports()).choose("nginx", 18200), tls);
        nginx.prepare(processes);
        for (Map.Entry<String, UnaryOperator<String>> edit : edits.entrySet()) {
            Path file = dir.nginx().resolve(edit.getKey());
            Files.writeString(file, edit.getValue().apply(Files.readString(file)));
        }
        child = child(dir, "nginx", nginx::command, false, timer);
        child.start();
        try {
            nginx.awaitReady(child);
        } catch (ClusterException e) {
            close();
            throw e;
        }
    }

    int port() {
        return nginx.port();
    }

    String url() {
        return "http://127.0.0.1:" + nginx.port();
    }

    /** What nginx wrote about a request, by its id. */
    JsonNode accessLine(String id) throws Exception {
        return accessLine(root, id);
    }

    static JsonNode accessLine(Path root, String id) throws Exception {
        Path log = root.resolve("logs/nginx-access.log");
        Eventually.eventually("the line of " + id, Duration.ofSeconds(10), () -> Files.readString(log).contains(id));
        try (var lines = Files.lines(log)) {
            return new ObjectMapper().readTree(lines.filter(l -> l.contains(id)).findFirst().orElseThrow());
        }
    }

    /** A process that nobody follows. */
    static Child child(ClusterDir dir, String name, Child.CommandSource command, boolean tied,
            ScheduledExecutorService timer) {
        Child.Events nobody = new Child.Events() {
            @Override
            public void started(Child child, OsProcess process) {}

            @Override
            public void ended(Child child, int status) {}

            @Override
            public void line(Child child, String line) {}
        };
        return new Child(new Child.Spec(name, command, "TERM", Duration.ofSeconds(5), tied),
                new BoundedLog(dir.log(name)), timer, nobody);
    }

    @Override
    public void close() {
        try {
            child.stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        timer.shutdownNow();
    }
}
