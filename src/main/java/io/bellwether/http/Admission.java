package io.bellwether.http;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;

/**
 * Bounds how many expensive answers are under way. Who finds no place soon is told to come again (503), rather than
 * waiting in a queue that grows. Thread safe.
 */
final class Admission {
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final Semaphore places;
    private final String what;

    Admission(String what, int places) {
        this.what = what;
        this.places = new Semaphore(places);
    }

    /** The endpoint, with a place for each request. */
    Endpoint guard(Endpoint endpoint) {
        return exchange -> {
            if (!places.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new Fault(FaultKind.OVERLOADED, "too many " + what + " at once");
            }
            try {
                endpoint.handle(exchange);
            } finally {
                places.release();
            }
        };
    }
}
