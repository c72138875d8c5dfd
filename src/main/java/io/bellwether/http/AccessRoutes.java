package io.bellwether.http;

import io.bellwether.catalog.CatalogService;
import io.bellwether.catalog.Heads;
import io.bellwether.catalog.SetState;
import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;

/**
 * {@code /internal/access/{set}}: whether a token opens a set, for a proxy that serves from its cache and has to ask
 * first. Answers from memory: 204, 401 or 403, and 404 for a set that this process does not know, of which the proxy then
 * serves nothing.
 *
 * <p>The answer also tells the epoch and the head, so that the proxy can tell apart what one revision is in two epochs.
 */
final class AccessRoutes implements RouteModule {
    /**
     * How long the proxy may believe it. Together well below the ten seconds after which a token that was revoked opens
     * nothing any more, whatever fails: the second half is for when no process answers at all.
     */
    private static final String FOR_A_MOMENT = "max-age=1, stale-if-error=7";

    private final CatalogService catalog;

    AccessRoutes(CatalogService catalog) {
        this.catalog = catalog;
    }

    @Override
    public void register(Routes routes) {
        routes.get("/internal/access/{set}", Access.SET, exchange -> {
            Heads heads = catalog.heads();
            SetState set = heads.set(exchange.path("set"))
                    .orElseThrow(() -> new Fault(FaultKind.NOT_FOUND, "there is no set of this name"));
            Reading.describe(exchange, heads, set.revision());
            exchange.set("Cache-Control", FOR_A_MOMENT);
            exchange.empty(204);
        });
    }
}
