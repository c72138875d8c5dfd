package io.bellwether.http;

/** Answers the requests of one route. Thread safe; may block (requests have virtual threads). */
@FunctionalInterface
public interface Endpoint {
    /**
     * Answers one request.
     *
     * @param exchange the request, whose caller was let through by the route's {@link Access}, and its answer
     * @throws io.bellwether.fault.Fault to answer with a problem
     * @throws Exception anything else is answered as an internal error and logged
     */
    void handle(Exchange exchange) throws Exception;
}
