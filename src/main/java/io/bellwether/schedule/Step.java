package io.bellwether.schedule;

import java.time.Instant;
import java.util.List;

/** What a process does next about a job. Immutable. Each but the last is a proposal that the ledger may refuse. */
public sealed interface Step {
    /**
     * Try to win this tick.
     *
     * @param tick its instant
     * @param gate whether to ask the gate first; not when it was held and yet nobody ran the tick
     */
    record Claim(Instant tick, boolean gate) implements Step {}

    /**
     * Try to win a manual run.
     *
     * @param runId its row
     * @param since its instant
     * @param gate as above
     */
    record ClaimQueued(long runId, Instant since, boolean gate) implements Step {}

    /**
     * Run a failed tick again.
     *
     * @param tick its instant, the job's cursor
     * @param attempt of the new run
     * @param gate as above
     */
    record Retry(Instant tick, int attempt, boolean gate) implements Step {}

    /**
     * Close a run whose lease is over.
     *
     * @param runId its row
     * @param superseded whether it is left at that because a newer tick is due; otherwise its next attempt begins here
     */
    record TakeOver(long runId, boolean superseded) implements Step {}

    /**
     * Record ticks that became due during a run, one row each.
     *
     * @param ticks in order, from the first after the cursor on; not empty
     */
    record Overlapped(List<Instant> ticks) implements Step {}

    /**
     * Count ticks that are too late.
     *
     * @param ticks the stretch
     */
    record Missed(Stretch ticks) implements Step {}

    /**
     * Count ticks that became due during a pause.
     *
     * @param ticks the stretch
     */
    record Paused(Stretch ticks) implements Step {}

    /**
     * Nothing to do before this instant, as far as can be seen now.
     *
     * @param until {@link Instant#MAX} when nothing is to come
     */
    record Wait(Instant until) implements Step {}

    /**
     * Consecutive ticks from the first after the cursor on.
     *
     * @param first the first
     * @param last the last
     * @param count how many
     */
    record Stretch(Instant first, Instant last, int count) {
        static Stretch of(List<Instant> ticks) {
            return new Stretch(ticks.getFirst(), ticks.getLast(), ticks.size());
        }
    }
}
