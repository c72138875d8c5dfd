package io.bellwether.http;

import java.util.ArrayList;
import java.util.List;

import io.javalin.http.HandlerType;

import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.policy.SetName;

/** Collects the routes of all modules. Not thread safe. */
public final class Routes {
    /** One route: a method, a pattern with parameters such as {@code /v1/sets/{set}}, and what answers it. */
    record Route(HandlerType method, String pattern, Access access, Endpoint endpoint) {
        /**
         * Checks that the caller may. The set's name is looked at first, and only its form: what exists is not told.
         *
         * @throws Fault if not
         */
        void check(Caller caller, Exchange exchange) {
            switch (access) {
                case OPEN, TOKEN -> {
                }
                case SET -> {
                    String set = exchange.path("set");
                    if (!caller.mayRead(set)) {
                        throw new Fault(FaultKind.FORBIDDEN, "the token does not open this set");
                    }
                    if (!SetName.isValid(set)) {
                        throw new Fault(FaultKind.NOT_FOUND, "there is no set of this name");
                    }
                }
                case ADMIN -> {
                    if (!(caller instanceof Caller.Operator)) {
                        throw new Fault(FaultKind.FORBIDDEN, "this needs the operator's token");
                    }
                }
            }
        }
    }

    private final List<Route> routes = new ArrayList<>();

    private final Draining draining;

    Routes(Draining draining) {
        this.draining = draining;
    }

    /** Tells whether the server is about to stop. */
    public Draining draining() {
        return draining;
    }

    /** Answers GET, and HEAD by the same endpoint without the body. */
    public void get(String pattern, Access access, Endpoint endpoint) {
        routes.add(new Route(HandlerType.GET, pattern, access, endpoint));
        routes.add(new Route(HandlerType.HEAD, pattern, access, endpoint));
    }

    /** Answers PUT. */
    public void put(String pattern, Access access, Endpoint endpoint) {
        routes.add(new Route(HandlerType.PUT, pattern, access, endpoint));
    }

    /** Answers POST. */
    public void post(String pattern, Access access, Endpoint endpoint) {
        routes.add(new Route(HandlerType.POST, pattern, access, endpoint));
    }

    /** Answers DELETE. */
    public void delete(String pattern, Access access, Endpoint endpoint) {
        routes.add(new Route(HandlerType.DELETE, pattern, access, endpoint));
    }

    List<Route> all() {
        return List.copyOf(routes);
    }
}
