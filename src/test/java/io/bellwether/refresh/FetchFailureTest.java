package io.bellwether.refresh;

import static io.bellwether.refresh.Bench.numbered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.bellwether.lease.RunResult;
import io.bellwether.lease.RunResult.State;
import io.bellwether.testing.Eventually;
import io.bellwether.testing.TestLease;
import io.bellwether.testing.TestPostgres;
import io.bellwether.testing.TestProxy;
import io.bellwether.testing.TestSets;

/** What goes wrong while a feed comes in and is staged: nothing of it is left, and the next run works. */
class FetchFailureTest {
    @TempDir
    private Path folder;
    private Bench bench;

    @BeforeEach
    void publishAnotherSet() throws Exception {
        bench = new Bench(folder);
        TestSets.Inserted another = bench.set("demo");
        bench.feed("demo", numbered(50, 1));
        bench.run(another);
    }

    @AfterEach
    void close() throws Exception {
        bench.close();
    }

    @Test
    void perform_connectionLostInMidCopy_publishesNothing() throws Exception {
        CountDownLatch killed = new CountDownLatch(1);
        HttpServer upstream = waitingInTheMiddle(killed);
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            TestSets.Inserted other = bench.set("other", feedOf(upstream));
            Future<RunResult> run = threads.submit(() -> bench.run(other));
            awaitCopy();
            bench.killBackend();
            killed.countDown();
            assertThatThrownBy(run::get).isInstanceOf(ExecutionException.class)
                    .cause().isInstanceOf(SQLException.class);
            assertThat(bench.number("select revision from policy_set where name = 'other'")).isZero();
            assertThat(bench.rows(other)).isEmpty();
            assertThat(bench.number("select count(*) from pg_class where relname in ('staged', 'vanished')")).isZero();
            assertThat(bench.run(other)).isEqualTo(RunResult.published(1, 6000, 0, 0));
        } finally {
            upstream.stop(0);
        }
    }

    @Test
    void perform_connectionCutInMidCopy_publishesNothingAndTheServerNotices() throws Exception {
        CountDownLatch cut = new CountDownLatch(1);
        HttpServer upstream = waitingInTheMiddle(cut);
        try (ExecutorService threads = Executors.newSingleThreadExecutor();
                TestProxy proxy = new TestProxy(TestPostgres.port())) {
            Bench cutOff = new Bench(folder, TestPostgres.through(proxy.port(), bench.settings));
            TestSets.Inserted other = bench.set("other", feedOf(upstream));
            TestLease lease = TestLease.claim(bench.database, other.jobId());
            Future<RunResult> run = threads.submit(() -> cutOff.work.perform(lease));
            awaitCopy();
            proxy.cut();
            cut.countDown();
            assertThatThrownBy(run::get).isInstanceOf(ExecutionException.class).cause()
                    .isInstanceOf(SQLException.class);
            bench.awaitNoBackend();
            nothingIsLeftOf(other);
            lease.record(RunResult.failed("cut"));
            assertThat(bench.run(other)).isEqualTo(RunResult.published(1, 6000, 0, 0));
            proxy.pass();
            Eventually.eventually("the process goes on by itself", Duration.ofSeconds(20), () -> {
                try {
                    return cutOff.number("select revision from policy_set where name = 'other'") == 1;
                } catch (SQLException e) {
                    return false; // A connection of its pool that was cut, too.
                }
            });
            cutOff.close();
        } finally {
            upstream.stop(0);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void perform_upstreamDiesInMidFeed_failsAndLeavesNothing(boolean lengthKnown) throws Exception {
        AtomicBoolean well = new AtomicBoolean();
        HttpServer upstream = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        upstream.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        TestSets.Inserted other = bench.set("other", feedOf(upstream));
        upstream.createContext("/", exchange -> {
            long whole = IntStream.range(0, 6000).mapToLong(i -> line(i).length()).sum();
            exchange.sendResponseHeaders(200, lengthKnown ? whole : 0);
            try {
                writeLines(exchange.getResponseBody(), 0, 3000);
                if (!well.get()) {
                    Eventually.eventually("rows are staged", Duration.ofSeconds(10), () -> bench.number(
                            "select count(*) from pg_stat_progress_copy where datname = current_database()") == 1);
                    throw new IOException("dies");
                }
                writeLines(exchange.getResponseBody(), 3000, 6000);
                exchange.close();
            } catch (IOException e) {
                // The server cuts the connection of a handler that throws.
                throw e;
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        upstream.start();
        try {
            RunResult result = bench.run(other);
            assertThat(result.state()).isEqualTo(State.FAILED);
            assertThat(result.reason()).isNotEmpty();
            bench.awaitNoBackend();
            nothingIsLeftOf(other);
            well.set(true);
            assertThat(bench.run(other)).isEqualTo(RunResult.published(1, 6000, 0, 0));
        } finally {
            upstream.stop(0);
        }
    }

    private void nothingIsLeftOf(TestSets.Inserted other) throws SQLException {
        assertThat(bench.number("select revision from policy_set where name = 'other'")).isZero();
        assertThat(bench.rows(other)).isEmpty();
        assertThat(bench.number("select count(*) from pg_class where relname in ('staged', 'vanished')")).isZero();
        assertThat(bench.number("select count(*) from manifest_entry where set_id = " + other.setId())).isZero();
    }

    @Test
    void perform_interruptedWhileTheUpstreamStalls_endsAtOnceWithTheFlagDown() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        HttpServer upstream = upstream(out -> {
            writeLines(out, 0, 10);
            begun.countDown();
            over.await(20, TimeUnit.SECONDS);
        });
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        try {
            TestSets.Inserted other = bench.set("other", feedOf(upstream));
            TestLease lease = TestLease.claim(bench.database, other.jobId());
            Thread worker = Thread.ofPlatform().start(() -> {
                try {
                    bench.work.perform(lease);
                } catch (Throwable t) {
                    thrown.set(Thread.currentThread().isInterrupted() ? new AssertionError("flag is up", t) : t);
                }
            });
            assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
            worker.interrupt();
            assertThat(worker.join(Duration.ofSeconds(10))).isTrue();
            assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        } finally {
            over.countDown();
            upstream.stop(0);
        }
    }

    @Test
    void perform_upstreamBreaksOff_fails() throws Exception {
        HttpServer upstream = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        upstream.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 1_000_000);
            try (exchange) {
                writeLines(exchange.getResponseBody(), 0, 100);
            } catch (IOException e) {
                // The promise of a length was not kept: meant.
            }
        });
        upstream.start();
        try {
            RunResult result = bench.run(bench.set("other", feedOf(upstream)));
            assertThat(result.state()).isEqualTo(State.FAILED);
            assertThat(result.reason()).isNotEmpty();
        } finally {
            upstream.stop(0);
        }
    }

    /** Six thousand lines, of which the second half comes when something has happened. */
    private static HttpServer waitingInTheMiddle(CountDownLatch happened) throws IOException {
        return upstream(out -> {
            writeLines(out, 0, 3000);
            happened.await(20, TimeUnit.SECONDS);
            writeLines(out, 3000, 6000);
        });
    }

    private void awaitCopy() throws Exception {
        Eventually.eventually("the COPY is under way", Duration.ofSeconds(10),
                () -> bench.number("select count(*) from pg_stat_progress_copy where datname = current_database()"
                        + " and type = 'PIPE' and command = 'COPY FROM'") == 1);
    }

    private interface Upstream {
        void write(OutputStream out) throws IOException, InterruptedException;
    }

    private static HttpServer upstream(Upstream body) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            try (exchange) {
                body.write(exchange.getResponseBody());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        server.start();
        return server;
    }

    private static URI feedOf(HttpServer upstream) {
        return URI.create("http://127.0.0.1:" + upstream.getAddress().getPort() + "/feed");
    }

    private static void writeLines(OutputStream out, int from, int to) throws IOException {
        for (int i = from; i < to; i++) {
            out.write(line(i).getBytes(StandardCharsets.UTF_8));
        }
        out.flush();
    }

    private static String line(int number) {
        return Bench.line("k" + number, "\"" + "x".repeat(300) + "\"");
    }
}
