package io.bellwether.lifecycle;

import java.time.Duration;

/** A long-lived part of a process. Started at most once; stopped from any thread. */
public interface Service {
    /** A short name for log lines and thread names. */
    String name();

    /**
     * Starts the part. Returns once it runs; when it throws, it has undone what it had begun.
     *
     * @throws Exception if it could not start
     */
    void start() throws Exception;

    /**
     * Stops the part and waits for it. May come before {@link #start}, twice, or after a failed start; then it does
     * nothing. Never throws because something was slow: past the grace it lets go.
     *
     * @param grace how long work in progress may take to finish by itself
     */
    void stop(Duration grace);
}
