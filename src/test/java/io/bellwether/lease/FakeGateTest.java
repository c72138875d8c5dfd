package io.bellwether.lease;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FakeGateTest extends GateContract {
    private final FakeRedis redis = new FakeRedis();
    private final Gate one = redis.gate();
    private final Gate other = redis.gate();

    @Override
    Gate one() {
        return one;
    }

    @Override
    Gate other() {
        return other;
    }

    @Override
    void reachable(boolean now) {
        redis.weather(now ? FakeRedis.Weather.UP : FakeRedis.Weather.DOWN);
    }

    @Override
    void flush() {
        redis.flush();
    }

    @Test
    void tryEnter_mute_leavesAGhost() {
        redis.weather(FakeRedis.Weather.MUTE);
        assertThat(one.tryEnter("a")).isInstanceOf(Gate.Unavailable.class);
        redis.weather(FakeRedis.Weather.UP);
        assertThat(other.tryEnter("a")).isInstanceOf(Gate.Held.class);
    }
}
