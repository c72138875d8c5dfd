package io.bellwether.http;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;

import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

import io.bellwether.telemetry.Meters;

/**
 * Stands before the router and answers what routes with a {@link QuickEndpoint} answer at once, on the thread that read
 * the request; everything else goes on to the router, on a virtual thread of its own. Thread safe.
 *
 * <p>It takes plain requests only: GET or HEAD of a path that is spelled as the route is, without query and body, by a
 * caller who is known without asking the database and may do this. So it refuses nobody, and whatever is refused,
 * misspelled or unusual is answered in one place, behind the router.
 */
final class QuickRoutes extends Handler.Wrapper implements QuickExchange.Ends {
    private final List<Routes.Route> routes;
    private final Authenticator authenticator;
    private final Draining draining;
    private final Meters meters;
    private final Executor threads;
    private final HttpField process;

    /**
     * A handler before the router, which is to be set as its handler.
     *
     * @param routes of all modules
     * @param threads runs what may block
     * @param process told in every answer
     */
    QuickRoutes(List<Routes.Route> routes, Authenticator authenticator, Draining draining, Meters meters,
            Executor threads, String process) {
        this.routes = routes.stream().filter(route -> route.quick() != null).toList();
        this.authenticator = authenticator;
        this.draining = draining;
        this.meters = meters;
        this.threads = threads;
        this.process = new PreEncodedHttpField("Bellwether-Process", process);
    }

    /** Lets Jetty call this on the thread that read the request. */
    @Override
    public InvocationType getInvocationType() {
        return InvocationType.NON_BLOCKING;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        QuickExchange exchange = exchange(request, response, callback);
        QuickEndpoint quick = exchange == null ? null : exchange.route().quick();
        if (exchange == null || quick == null) {
            declined(request, response, callback);
        } else {
            exchange.attempt(() -> quick.handle(exchange));
        }
        return true;
    }

    private @Nullable QuickExchange exchange(Request request, Response response, Callback callback) {
        if (!QuickExchange.isPlain(request)) {
            return null;
        }
        String path = request.getHttpURI().getPath();
        for (Routes.Route route : routes) {
            String parameter = route.quickParameter(request.getMethod(), path);
            if (parameter != null) {
                QuickExchange exchange = new QuickExchange(request, response, callback, route, parameter, this);
                return authenticator.known(exchange.header("Authorization"))
                        .filter(caller -> caller.mayRead(parameter)).map(caller -> exchange).orElse(null);
            }
        }
        return null;
    }

    @Override
    public void complete(HttpFields.Mutable fields) {
        fields.add(process);
        if (draining.isDraining()) {
            fields.add(HttpFields.CONNECTION_CLOSE);
        }
    }

    @Override
    public void answered(QuickExchange exchange, int status, Duration took) {
        meters.request(exchange.route().pattern(), status, took);
    }

    @Override
    public void declined(Request request, Response response, Callback callback) {
        threads.execute(() -> route(request, response, callback));
    }

    private void route(Request request, Response response, Callback callback) {
        try {
            if (!super.handle(request, response, callback)) {
                Response.writeError(request, response, callback, HttpStatus.NOT_FOUND_404);
            }
        } catch (Throwable t) {
            Response.writeError(request, response, callback, t);
        }
    }
}
