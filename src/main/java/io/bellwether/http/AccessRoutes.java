package io.bellwether.http;

/**
 * {@code /internal/access/{set}}: whether a token opens a set, for a proxy that serves from its cache and has to ask
 * first. Answers from memory: 204, 401 or 403.
 */
final class AccessRoutes implements RouteModule {
    @Override
    public void register(Routes routes) {
        routes.get("/internal/access/{set}", Access.SET, exchange -> {
            exchange.set("Cache-Control", "no-store");
            exchange.empty(204);
        });
    }
}
