package io.bellwether.cluster;

import java.io.IOException;

/** Has a part started on a port that may be given. Between its choice and its use a port may be taken by somebody else. */
final class FreePort {
    /** Starts a part on a port. */
    @FunctionalInterface
    interface Starter {
        Part start(int port) throws IOException, InterruptedException, ClusterException;
    }

    private FreePort() {}

    /**
     * Starts the part and waits until it is ready; where somebody else has its port, on the next one.
     *
     * @param name of the part
     * @param from the first port that is thought of
     * @throws ClusterException when it does not start, or its port was taken several times in a row
     */
    static void start(String name, Ports ports, int from, Starter starter)
            throws IOException, InterruptedException, ClusterException {
        for (int tried = 1;; tried++) {
            int port = ports.choose(name, from);
            Part part = starter.start(port);
            try {
                part.awaitReady();
                return;
            } catch (ClusterException e) {
                if (!part.missedItsPort()) {
                    throw e;
                }
                part.stop();
                if (tried == ServeFleet.PORT_TRIES) {
                    throw new ClusterException(name + " cannot listen on port " + port + ", nor on " + (tried - 1)
                            + " others that were free a moment before: " + e.getMessage(), e);
                }
            }
        }
    }
}
