package io.bellwether.lease;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;

import io.bellwether.settings.Settings;
import io.bellwether.telemetry.Meters;
import io.bellwether.testing.TestRedis;

class RedissonGateTest extends GateContract {
    private static final Duration LEASE = Duration.ofSeconds(2);

    private final TestRedis redis = new TestRedis();
    private final Meters meters = new Meters();
    private final RedissonGate one = new RedissonGate(redis.settings(), LEASE, meters);
    private final Meters otherMeters = new Meters();
    private final RedissonGate other = new RedissonGate(redis.settings(), LEASE, otherMeters);

    @BeforeEach
    void start() throws Exception {
        redis.start();
        one.start();
        other.start();
    }

    @AfterEach
    void stop() throws Exception {
        one.stop(Duration.ZERO);
        other.stop(Duration.ZERO);
        redis.close();
        meters.close();
        otherMeters.close();
    }

    @Override
    Gate one() {
        return one;
    }

    @Override
    Gate other() {
        return other;
    }

    @Override
    void reachable(boolean now) throws IOException {
        if (now) {
            redis.start();
        } else {
            redis.stop();
        }
    }

    @Override
    void flush() throws IOException {
        assertThat(command("FLUSHALL")).isEqualTo("+OK");
    }

    @Test
    void start_redisAway_comesLater() throws Exception {
        redis.stop();
        RedissonGate late = new RedissonGate(redis.settings(), LEASE, new Meters());
        long begun = System.nanoTime();
        late.start();
        try {
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(3));
            assertThat(late.tryEnter("a")).isInstanceOf(Gate.Unavailable.class);
            redis.start();
            enter(late, "a");
        } finally {
            late.stop(Duration.ZERO);
        }
    }

    @Test
    void inside_longerThanTheLease_staysInside() throws Exception {
        enter(one, "a");
        eventually("two leases later", SOON, new java.util.concurrent.Callable<>() {
            private final long begun = System.nanoTime();

            @Override
            public Boolean call() {
                assertThat(other.tryEnter("a")).isInstanceOf(Gate.Held.class);
                return System.nanoTime() - begun > LEASE.multipliedBy(2).toNanos();
            }
        });
    }

    @Test
    void stop_inside_letsTheOthersIn() throws Exception {
        Gate.Pass pass = enter(one, "a");
        pass.leave();
        one.stop(Duration.ZERO);
        assertThat(other.tryEnter("a")).isInstanceOf(Gate.Won.class);
    }

    @Test
    void tryEnter_processDies_isFreeAfterTheLease() throws Exception {
        enter(one, "a");
        one.stop(Duration.ZERO); // Without leaving: the lock stays, nobody renews it.
        assertThat(other.tryEnter("a")).isInstanceOf(Gate.Held.class);
        enter(other, "a");
    }

    @Test
    void tryEnter_thousandTicks_leavesNoKeyBehind() throws Exception {
        for (int i = 0; i < 1_000; i++) {
            enter(one, "a").leave();
        }
        eventually("no key but that of the probe", SOON, () -> command("DBSIZE").matches(":[01]"));
        assertThat(command("EXISTS " + RedissonGate.key("a"))).isEqualTo(":0");
    }

    @Test
    void tryEnter_redisStalled_answersInTimeAndLeavesNoGhost() throws Exception {
        // The try is done by the server after the stall, when nobody waits for its answer any more.
        RedissonGate patient = new RedissonGate(redis.settings(), Duration.ofSeconds(30), new Meters());
        patient.start();
        try {
            enter(patient, "warm").leave();
            assertThat(command("CLIENT PAUSE 1500 ALL")).isEqualTo("+OK");
            long begun = System.nanoTime();
            assertThat(patient.tryEnter("a")).isInstanceOf(Gate.Unavailable.class);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isBetween(Duration.ofMillis(300),
                    Duration.ofMillis(1_000));
            eventually("redis answers again", SOON, () -> command("PING").equals("+PONG"));
            eventually("the lock that was won late is let go", SOON,
                    () -> command("EXISTS " + RedissonGate.key("a")).equals(":0"));
        } finally {
            patient.stop(Duration.ZERO);
        }
    }

    // A probe that only read found a replica up, each tick found it away: two lines in the log for every tick.
    @Test
    void tryEnter_redisOnlyReads_isAwayForTheProbeToo_untilItWritesAgain() throws Exception {
        enter(one, "held");
        assertThat(command("REPLICAOF 127.0.0.1 1")).isEqualTo("+OK");
        assertThat(other.tryEnter("held")).as("what is held can be read").isInstanceOf(Gate.Held.class);
        eventually("seen by a probe", SOON, () -> !one.isUp());
        assertThat(one.tryEnter("a")).isInstanceOf(Gate.Unavailable.class);
        long begun = System.nanoTime();
        eventually("it stays away", SOON, () -> {
            assertThat(one.isUp()).isFalse();
            return System.nanoTime() - begun > Duration.ofSeconds(3).toNanos();
        });
        assertThat(command("REPLICAOF NO ONE")).isEqualTo("+OK");
        enter(one, "a");
        assertThat(one.isUp()).isTrue();
    }

    @Test
    void why_redisWantsAPassword_saysSo() throws Exception {
        assertThat(command("CONFIG SET requirepass right")).isEqualTo("+OK");
        for (String password : List.of("", "wrong")) {
            RedissonClient client = Redisson.create(RedissonConfig
                    .of(new Settings.Redis(redis.settings().urls(), new Settings.Secret(password), null), LEASE));
            try {
                Throwable refused = catchThrowable(() -> client.getLock("a").tryLock());
                assertThat(RedissonGate.refuses(refused)).as("%s", RedissonGate.why(refused)).isTrue();
                assertThat(RedissonGate.why(refused)).contains(password.isEmpty() ? "NOAUTH" : "WRONGPASS")
                        .doesNotContain(password.isEmpty() ? "right" : password);
            } finally {
                client.shutdown(0, 1, TimeUnit.SECONDS);
            }
        }
        redis.stop();
        Throwable away = new ExecutionException(new IOException("Connection refused"));
        assertThat(RedissonGate.refuses(away)).isFalse();
    }

    /** One command on a connection of its own, and the first line of the answer. */
    private String command(String text) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), redis.port());
                BufferedReader in = new BufferedReader(
                        new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
            socket.getOutputStream().write((text + "\r\n").getBytes(StandardCharsets.US_ASCII));
            return String.valueOf(in.readLine());
        }
    }
}
