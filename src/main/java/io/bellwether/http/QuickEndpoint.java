package io.bellwether.http;

/**
 * Answers what it can of a route's requests at once, ahead of the route's {@link Endpoint}, to which it leaves the rest.
 * Thread safe.
 *
 * <p>It runs on the thread that reads from all connections: it must neither block nor work for long.
 */
@FunctionalInterface
interface QuickEndpoint {
    /**
     * Answers one request, now or later, or declines it. What it throws declines too.
     *
     * @param exchange the request, whose caller was let through by the route's {@link Access}
     */
    void handle(QuickExchange exchange);
}
