package io.bellwether.loadtest.bench;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What has to be undone, last first, whether the benchmark ends, fails or is stopped by a signal. Thread-safe; each thing is
 * undone once.
 */
public final class Cleanup implements AutoCloseable {
    /** Undoes one thing. */
    @FunctionalInterface
    public interface Action {
        /** Does it. */
        void run() throws Exception;
    }

    private final Deque<Action> actions = new ArrayDeque<>();
    private boolean over;

    /** Sees to it that a signal undoes everything, too. */
    public Cleanup undoneOnSignal() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::close, "benchmark-cleanup"));
        return this;
    }

    /**
     * Remembers what is to be undone.
     *
     * @throws BenchmarkException when all was undone already; the action has been run then
     */
    public void add(Action action) {
        synchronized (this) {
            if (!over) {
                actions.push(action);
                return;
            }
        }
        undo(action);
        throw new BenchmarkException("the benchmark was stopped");
    }

    /** Whether nothing new may begin. */
    public synchronized boolean isOver() {
        return over;
    }

    /** Undoes what is left to undo, and returns when that is done; nothing can be added any more. */
    @Override
    public synchronized void close() {
        over = true;
        while (!actions.isEmpty()) {
            undo(actions.pop());
        }
    }

    private static void undo(Action action) {
        try {
            action.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            System.err.println("could not be cleaned up: " + e);
        }
    }
}
