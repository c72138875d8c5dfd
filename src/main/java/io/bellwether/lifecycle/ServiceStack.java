package io.bellwether.lifecycle;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Started services, stopped in the reverse of their order.
 *
 * <p>Thread safe. A service whose start fails leaves those below it running; the owner then calls {@link #stop}.
 */
public final class ServiceStack {
    private static final Logger log = LoggerFactory.getLogger(ServiceStack.class);

    private static final Duration LEAST = Duration.ofSeconds(1);

    private final Deque<Service> started = new ArrayDeque<>();

    /**
     * Starts one service on top of those already running.
     *
     * @param service what to start
     * @return the service, running
     * @throws Exception what its start threw
     */
    public <T extends Service> T start(T service) throws Exception {
        long begun = System.nanoTime();
        service.start();
        synchronized (started) {
            started.push(service);
        }
        log.debug("started {} in {} ms", service.name(), (System.nanoTime() - begun) / 1_000_000);
        return service;
    }

    /**
     * Stops all of them, the last started first. A failure of one is logged and does not keep the others from stopping.
     *
     * @param grace what all of them together may take for work in progress: each gets what those before it left, and a
     *        second (or the grace, where that is less) at least
     */
    public void stop(Duration grace) {
        long end = System.nanoTime() + grace.toNanos();
        long least = Math.min(grace.toNanos(), LEAST.toNanos());
        while (true) {
            Service top;
            synchronized (started) {
                top = started.poll();
            }
            if (top == null) {
                return;
            }
            long begun = System.nanoTime();
            try {
                top.stop(Duration.ofNanos(Math.max(least, end - begun)));
                log.debug("stopped {} in {} ms", top.name(), (System.nanoTime() - begun) / 1_000_000);
            } catch (RuntimeException e) {
                log.warn("stopping {} failed", top.name(), e);
            }
        }
    }
}
