package io.bellwether.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import redis.embedded.core.ExecutableProvider;

/**
 * The cluster's Redis: on 127.0.0.1 alone, keeping nothing on disk (a lock is advice, and Redis may forget it).
 *
 * <p>The processes have a user with a password. Without one, a person or a test may look and flush, which Bellwether has to
 * survive anyway, but nothing that reaches the file system or runs scripts.
 */
final class RedisServer {
    private static final String USER = "bellwether";
    private static final String SECRET = "redis";
    private static final Duration START_LIMIT = Duration.ofSeconds(20);

    private final ClusterDir dir;
    private final Path program;
    private final int port;
    private final String password;

    RedisServer(ClusterDir dir, Path program, Secrets secrets, int port) throws IOException {
        this.dir = dir;
        this.program = program;
        this.port = port;
        this.password = secrets.get(SECRET);
        Secrets.writePrivate(dir.redis().resolve("redis.conf"), """
                bind 127.0.0.1
                port %d
                protected-mode yes
                user default on nopass ~* &* +@all -@dangerous -@admin -@scripting +flushall +flushdb +info +keys
                user %s on >%s ~* &* +@all
                daemonize no
                dir ./
                save ""
                appendonly no
                maxmemory 256mb
                maxmemory-policy noeviction
                """.formatted(port, USER, password));
    }

    /**
     * The embedded server, unpacked into the cache; where it does not run (it needs OpenSSL 3's library), one that is
     * installed.
     */
    static Path program(Path cache) throws IOException, InterruptedException, ClusterException {
        Path unpacked = cache.resolve("redis-server");
        if (!runs(unpacked)) {
            Path aside = Files.createTempDirectory(cache, "unpacking-");
            try {
                Path file = ExecutableProvider.newJarResourceProvider(aside.toFile()).get().toPath();
                Files.move(file, unpacked, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                PostgresBinaries.deleteTree(aside);
            }
        }
        if (runs(unpacked)) {
            return unpacked;
        }
        Optional<Path> installed = Executables.onPath("redis-server").or(() -> Executables.onPath("valkey-server"));
        if (installed.isPresent()) {
            return installed.get();
        }
        throw new ClusterException("the Redis that comes with Bellwether does not run here ("
                + Executables.run(Duration.ofSeconds(10), cache, Map.of(), List.of(unpacked.toString(), "--version"))
                        .lastLine()
                + "): install redis-server or valkey-server");
    }

    private static boolean runs(Path program) throws IOException, InterruptedException {
        return Files.isExecutable(program) && Executables.run(Duration.ofSeconds(10), Path.of("/"), Map.of(),
                List.of(program.toString(), "--version")).status() == 0;
    }

    int port() {
        return port;
    }

    String url() {
        return "redis://" + USER + ":" + password + "@127.0.0.1:" + port;
    }

    ProcessBuilder command() {
        return new ProcessBuilder(program.toString(), "redis.conf").directory(dir.redis().toFile());
    }

    void awaitReady(Child child) throws InterruptedException, ClusterException {
        if (!Waiting.until(START_LIMIT, () -> child.status().isPresent() || answers())
                || child.status().isPresent()) {
            throw new ClusterException("Redis does not start ("
                    + (child.lastLines().isEmpty() ? "it said nothing" : child.lastLines().getLast())
                    + "); its log is " + child.log().file());
        }
    }

    boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
            socket.setSoTimeout(1000);
            socket.getOutputStream()
                    .write(("AUTH " + USER + " " + password + "\r\nPING\r\n").getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            return new String(in.readNBytes("+OK\r\n+PONG\r\n".length()), StandardCharsets.US_ASCII)
                    .equals("+OK\r\n+PONG\r\n");
        } catch (IOException e) {
            return false;
        }
    }
}
