package io.bellwether.http;

import io.bellwether.catalog.CatalogService;
import io.bellwether.catalog.ChangeFeed;
import io.bellwether.catalog.PolicyReads;
import io.bellwether.catalog.SegmentStore;
import io.bellwether.telemetry.Meters;

/** All that downstream servers read. Thread safe. */
public final class ServingRoutes implements RouteModule {
    private final CatalogService catalog;
    private final SegmentStore store;
    private final Meters meters;

    /**
     * Routes that read from these.
     *
     * @param catalog the heads
     * @param store the segments
     * @param meters gets the number of waiting polls, and of segments that the store fetched
     */
    public ServingRoutes(CatalogService catalog, SegmentStore store, Meters meters) {
        this.catalog = catalog;
        this.store = store;
        this.meters = meters;
    }

    @Override
    public void register(Routes routes) {
        Reading reading = new Reading(catalog);
        Polls polls = new Polls(new WaitingPolls(catalog, routes.draining(), meters));
        meters.counter("segments_fetched",
                "segments read from PostgreSQL because this host's segment store did not hold them", store::fetched);
        HeapShare heap = HeapShare.ofThisProcess();
        SegmentBodies bodies = new SegmentBodies(store);
        new SetRoutes(reading, polls).register(routes);
        new HeadRoute(catalog, reading, polls).register(routes);
        new ManifestRoutes(reading).register(routes);
        new SegmentRoutes(reading, bodies).register(routes);
        new BundleRoutes(reading, bodies).register(routes);
        new ChangeRoutes(reading, polls, new ChangeFeed(store), heap).register(routes);
        new PolicyRoutes(reading, new PolicyReads(store), heap).register(routes);
        new AccessRoutes(catalog).register(routes);
    }
}
