package io.bellwether.http;

/** The routes of one resource or a few that belong together. Implementations are thread safe. */
@FunctionalInterface
public interface RouteModule {
    /** Adds its routes; called once, before the server starts. */
    void register(Routes routes);
}
