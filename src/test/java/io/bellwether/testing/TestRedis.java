package io.bellwether.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.List;

import org.jspecify.annotations.Nullable;
import redis.embedded.RedisServer;

import io.bellwether.settings.Settings;

/** A real Redis of a test's own, without persistence, that can be stopped and started again on its port. */
public final class TestRedis implements AutoCloseable {
    private final int port;
    private @Nullable RedisServer server;

    /** A server that is not started yet, on a port that was free. */
    public TestRedis() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** A started server. */
    public static TestRedis started() throws IOException {
        TestRedis redis = new TestRedis();
        redis.start();
        return redis;
    }

    /** Starts it, empty. */
    public void start() throws IOException {
        RedisServer fresh = RedisServer.newRedisServer().port(port).bind("127.0.0.1").setting("save \"\"")
                .setting("appendonly no").onShutdownForceStop(true).build();
        fresh.start();
        server = fresh;
    }

    /** Stops it; its data are gone. Does nothing when it does not run. */
    public void stop() throws IOException {
        RedisServer running = server;
        server = null;
        if (running != null) {
            running.stop();
        }
    }

    /** Where it is, as a process is told. */
    public Settings.Redis settings() {
        return new Settings.Redis(List.of(URI.create("redis://127.0.0.1:" + port)), new Settings.Secret(""), null);
    }

    /** The port on 127.0.0.1. */
    public int port() {
        return port;
    }

    @Override
    public void close() throws IOException {
        stop();
    }
}
