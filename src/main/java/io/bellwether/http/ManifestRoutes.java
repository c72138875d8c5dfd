package io.bellwether.http;

import java.io.IOException;

import io.bellwether.catalog.Heads;
import io.bellwether.catalog.RevisionInfo;
import io.bellwether.catalog.SetState;
import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;

/** Manifests, of the head and of a kept revision. */
final class ManifestRoutes implements RouteModule {
    private final Reading reading;

    ManifestRoutes(Reading reading) {
        this.reading = reading;
    }

    /** A kept revision and what it was found in. */
    record Kept(Heads heads, SetState set, RevisionInfo revision) {}

    @Override
    public void register(Routes routes) {
        routes.get("/v1/sets/{set}/manifest", Access.SET, this::current);
        routes.get("/v1/sets/{set}/revisions/{revision}/manifest", Access.SET, this::ofRevision);
    }

    private void current(Exchange exchange) throws IOException, InterruptedException {
        Reading.Read read = reading.head(exchange, 0);
        if (!Validators.answered(exchange, read.etag(), Validators.REVALIDATE)) {
            exchange.json(200, SetJson.manifest(read.heads(), read.set(), read.set().head(), read.set().manifest()));
        }
    }

    private void ofRevision(Exchange exchange) throws IOException, InterruptedException {
        Kept kept = kept(reading, exchange);
        if (!Validators.answered(exchange, Reading.tag(kept.heads(), kept.revision().revision()),
                Validators.REVALIDATE)) {
            exchange.json(200, SetJson.manifest(kept.heads(), kept.set(), kept.revision(),
                    kept.set().manifest(kept.revision().revision()).orElseThrow()));
        }
    }

    /**
     * The revision that the path names.
     *
     * @throws Fault {@link FaultKind#REVISION_GONE} if it is no longer kept, {@link FaultKind#BEHIND_MIN_REVISION} if it
     *         is above the head: another process may know it
     */
    static Kept kept(Reading reading, Exchange exchange) throws InterruptedException {
        long number = exchange.pathNumber("revision");
        long[] head = {0};
        Kept kept = reading.immutable(exchange, (heads, set) -> {
            head[0] = set.revision();
            return set.revision(number).map(revision -> new Kept(heads, set, revision));
        }).orElseThrow(() -> number > head[0]
                ? new Fault(FaultKind.BEHIND_MIN_REVISION,
                        "this process is at revision " + head[0] + ", revision " + number + " is asked for")
                : new Fault(FaultKind.REVISION_GONE, "revision " + number + " is no longer kept"));
        Reading.describe(exchange, kept.heads(), number);
        return kept;
    }
}
