package io.bellwether.lease;

/** What a job does when this process won one of its ticks. Implementations are thread safe. */
@FunctionalInterface
public interface JobWork {
    /**
     * Does the work of one run, on a thread of its own.
     *
     * <p>A work that publishes does so in a transaction of its own in which it calls {@link RunLease#fence} and, last,
     * {@link RunLease#finish}; the result it then returns is the one it recorded. Any other result (and any exception)
     * is recorded by the caller.
     *
     * @param lease the right to run, asked often whether it still holds
     * @return what came of it
     * @throws LeaseLostException if the run is no longer ours
     * @throws InterruptedException if the run was told to stop (shutdown, run-time limit)
     * @throws Exception anything else; recorded as {@code failed} with its message
     */
    RunResult perform(RunLease lease) throws Exception;
}
