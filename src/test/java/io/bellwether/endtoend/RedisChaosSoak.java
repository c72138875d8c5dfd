package io.bellwether.endtoend;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.bellwether.cluster.Part;

/** Redis stalls across a tick, dies, forgets, and is restarted empty, in a random order. */
class RedisChaosSoak {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Test
    void ticks_redisInTroubleAllAlong_eachHappensOnce() throws Exception {
        try (LongRun run = new LongRun("redis-chaos", false)) {
            run.upstream().dawdle(run.random(), Duration.ofMillis(800));
            while (run.goesOn()) {
                disturb(run, run.cluster().redis());
                run.passUpTo(Duration.ofSeconds(5));
            }
            TickReport report = run.judge(oracle -> oracle);
            // Whatever Redis does, every process goes on: no run dies, fails or comes too late, and no tick is left out
            // but for a run that was still under way.
            assertThat(report.states().keySet()).isSubsetOf("published", "overlapped");
            assertThat(report.gates()).containsOnlyKeys("redis", "postgres");
            assertThat(run.watcher().retried()).isZero();
            assertThat(run.watcher().fellStale()).isZero();
            assertThat(run.errors()).isEmpty();
            run.tell(report, "");
        }
    }

    private static void disturb(LongRun run, Part redis) throws Exception {
        switch (run.random().nextInt(4)) {
            case 0 -> {
                redis.signal("STOP");
                run.passUpTo(Duration.ofSeconds(6));
                redis.signal("CONT");
                run.did("stalled");
            }
            case 1 -> {
                long before = redis.pid();
                redis.kill();
                eventually("Redis comes back by itself", LIMIT, () -> redis.pid() != before && redis.isAlive());
                redis.start();
                run.did("killed");
            }
            case 2 -> {
                flush(run.cluster().describe().redis().port());
                run.did("flushed");
            }
            default -> {
                redis.stop();
                run.passUpTo(Duration.ofSeconds(6));
                redis.start();
                run.did("restarted empty");
            }
        }
    }

    private static void flush(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(5_000);
            socket.getOutputStream().write("FLUSHALL\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readNBytes(3), StandardCharsets.US_ASCII)).isEqualTo("+OK");
        }
    }
}
