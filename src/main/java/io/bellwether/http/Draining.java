package io.bellwether.http;

/** Whether this process is about to stop, as routes see it. Thread safe. */
public interface Draining {
    /** Whether it is. */
    boolean isDraining();

    /** Calls {@code listener} once when it begins, or at once when it has. */
    void onDrain(Runnable listener);
}
