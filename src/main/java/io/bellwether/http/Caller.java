package io.bellwether.http;

import io.bellwether.fleet.Grant;

/** Who sent a request. Immutable. */
public sealed interface Caller {
    /** A name for log lines; no secret. */
    String name();

    /** Whether this caller may read the set of that name; also asked for sets that do not exist. */
    boolean mayRead(String set);

    /** The operator: may do everything. */
    record Operator() implements Caller {
        @Override
        public String name() {
            return "operator";
        }

        @Override
        public boolean mayRead(String set) {
            return true;
        }
    }

    /** A downstream server with its token. */
    record Downstream(Grant grant) implements Caller {
        @Override
        public String name() {
            return grant.server();
        }

        @Override
        public boolean mayRead(String set) {
            return grant.mayRead(set);
        }
    }

    /** Nobody in particular, on a route that is open. */
    record Anonymous() implements Caller {
        @Override
        public String name() {
            return "anonymous";
        }

        @Override
        public boolean mayRead(String set) {
            return false;
        }
    }
}
