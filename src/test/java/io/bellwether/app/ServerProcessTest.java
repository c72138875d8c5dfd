package io.bellwether.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.bellwether.settings.Settings;

class ServerProcessTest {
    @TempDir
    private Path dir;

    private ServerProcess process(int databasePort) throws Exception {
        return new ServerProcess(new Settings(0, "127.0.0.1",
                new Settings.Database("jdbc:postgresql://127.0.0.1:" + databasePort + "/x", "u",
                        new Settings.Secret(""), 4),
                new Settings.Redis(List.of(URI.create("redis://127.0.0.1:1")), new Settings.Secret(""), null),
                new Settings.Secret("0123456789abcdef"), dir, Duration.ofSeconds(30), Duration.ZERO, List.of(),
                Duration.ofSeconds(5)));
    }

    // The signal's hook was set up after the start: until then a signal ended the JVM with whatever was half done.
    @Test
    void stop_whileItStarts_endsTheStartAndWhatItHadBegun() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            ServerProcess process = process(silent.getLocalPort());
            CountDownLatch begun = new CountDownLatch(1);
            CompletableFuture<Void> start = CompletableFuture.runAsync(() -> {
                begun.countDown();
                try {
                    process.start();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }, task -> Thread.ofPlatform().name("start").start(task));
            begun.await();
            silent.accept().close(); // It is asking the database.
            long asked = System.nanoTime();
            process.stop();
            assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(Duration.ofSeconds(9));
            assertThatThrownBy(() -> start.get(1, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class)
                    .hasRootCauseInstanceOf(InterruptedException.class);
            assertThat(process.port()).isZero();
        }
    }

    @Test
    void stop_beforeItStarts_keepsItFromStarting() throws Exception {
        ServerProcess process = process(1);
        process.stop();
        assertThatThrownBy(process::start).isInstanceOf(InterruptedException.class);
        assertThat(process.port()).isZero();
    }
}
