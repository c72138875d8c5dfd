package io.bellwether.lease;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;

/** The ledger of the model keeps the contract of the real one; otherwise the model proves nothing. */
class ModelLedgerTest extends LedgerContract {
    private final ModelLedger ledger = new ModelLedger(InstantSource.system(), "* * * * * *", T0);

    @Override
    Ledger ledger() {
        return ledger;
    }

    @Override
    void endLease(long runId) {
        ledger.rows.get(runId).leaseUntil = Instant.now().minus(Duration.ofMinutes(1));
    }

    @Override
    void pauseUntil(Instant until) {
        ledger.pausedUntil = until;
    }

    @Override
    void disable() {
        ledger.enabled = false;
    }

    @Override
    long enqueue() throws Exception {
        return ledger.enqueue();
    }

    @Override
    boolean passesFence(Claim run) {
        return ledger.passesFence(run);
    }

    @Override
    List<String> states(Instant tick) {
        return ledger.rows.all().stream().filter(row -> row.tick.equals(tick))
                .sorted(Comparator.comparing(row -> row.attempt))
                .map(row -> row.state).toList();
    }
}
