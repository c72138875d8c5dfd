package io.bellwether.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.Test;

class GivingBackTest {
    private final List<Long> tried = new ArrayList<>();

    private static Claim run(long id) {
        return new Claim(id, id, "demo" + id, "refresh", "cron", Instant.EPOCH, 1, 1, new UUID(0, id), "redis",
                Duration.ofMinutes(1), null, Instant.EPOCH);
    }

    /** A ledger that takes runs back from its n-th call on. */
    private Ledger ledger(int from) {
        return (Ledger) Proxy.newProxyInstance(Ledger.class.getClassLoader(), new Class<?>[]{Ledger.class},
                (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("giveBack");
                    tried.add(((Claim) arguments[0]).runId());
                    if (tried.size() < from) {
                        throw new SQLException("a hiccup");
                    }
                    return true;
                });
    }

    // It was tried once, and a database that was just failing over cost the tick a whole lease.
    @Test
    void all_databaseHiccups_triesAgainWhatIsLeft() {
        GivingBack.all(ledger(4), List.of(run(1), run(2)));
        assertThat(tried).containsExactly(1L, 2L, 1L, 2L, 1L);
    }

    @Test
    void all_databaseStaysAway_endsInTime() {
        long begun = System.nanoTime();
        GivingBack.all(ledger(Integer.MAX_VALUE), List.of(run(1)));
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isBetween(GivingBack.LIMIT,
                GivingBack.LIMIT.plusSeconds(5));
        assertThat(tried).hasSizeGreaterThan(5);
    }
}
