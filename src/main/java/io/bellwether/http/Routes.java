package io.bellwether.http;

import java.util.ArrayList;
import java.util.List;

import io.javalin.http.HandlerType;
import org.jspecify.annotations.Nullable;

import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.policy.SetName;

/** Collects the routes of all modules. Not thread safe. */
public final class Routes {
    /**
     * One route.
     *
     * @param method GET, HEAD and so on
     * @param pattern a path with parameters such as {@code /v1/sets/{set}}
     * @param access who may call it
     * @param endpoint answers it
     * @param quick answers what can be answered at once, or null
     */
    record Route(HandlerType method, String pattern, Access access, Endpoint endpoint, @Nullable QuickEndpoint quick) {
        private static final String SET = "{set}";

        /** Checks that a route with a quick endpoint is one that {@link #quickParameter} can tell. */
        Route {
            if (quick != null && (access != Access.SET || pattern.indexOf('{') != pattern.length() - SET.length()
                    || !pattern.endsWith(SET))) {
                throw new IllegalArgumentException("for a quick endpoint " + pattern + " must end in the set it opens");
            }
        }

        /**
         * The set that a path names, when it is one of this route's and plainly spelled; null otherwise.
         *
         * @param asked the method of the request
         * @param path as it was sent
         */
        @Nullable
        String quickParameter(String asked, @Nullable String path) {
            int at = pattern.length() - SET.length();
            if (path == null || path.length() <= at || !path.regionMatches(0, pattern, 0, at)
                    || !method.name().equals(asked)) {
                return null;
            }
            for (int i = at; i < path.length(); i++) {
                char c = path.charAt(i);
                if (!(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-')) {
                    return null;
                }
            }
            return path.substring(at);
        }

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
        get(pattern, access, endpoint, null);
    }

    /**
     * The same, with a quick endpoint that is asked first.
     *
     * @param pattern ends in <code>{set}</code>, its only parameter
     * @param access {@link Access#SET}
     */
    void get(String pattern, Access access, Endpoint endpoint, @Nullable QuickEndpoint quick) {
        routes.add(new Route(HandlerType.GET, pattern, access, endpoint, quick));
        routes.add(new Route(HandlerType.HEAD, pattern, access, endpoint, quick));
    }

    /** Answers PUT. */
    public void put(String pattern, Access access, Endpoint endpoint) {
        routes.add(new Route(HandlerType.PUT, pattern, access, endpoint, null));
    }

    /** Answers POST. */
    public void post(String pattern, Access access, Endpoint endpoint) {
        routes.add(new Route(HandlerType.POST, pattern, access, endpoint, null));
    }

    /** Answers DELETE. */
    public void delete(String pattern, Access access, Endpoint endpoint) {
        routes.add(new Route(HandlerType.DELETE, pattern, access, endpoint, null));
    }

    List<Route> all() {
        return List.copyOf(routes);
    }
}
