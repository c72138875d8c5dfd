package io.bellwether.http;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;

import io.bellwether.catalog.Heads;
import io.bellwether.catalog.RevisionInfo;
import io.bellwether.catalog.SetState;
import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;

/** Which revisions are kept, and manifests, of the head and of one whose contents are kept. */
final class ManifestRoutes implements RouteModule {
    private static final int MAX_PAGE = 1000;

    private final Reading reading;

    ManifestRoutes(Reading reading) {
        this.reading = reading;
    }

    /** A revision whose contents are kept, and what it was found in. */
    record Kept(Heads heads, SetState set, RevisionInfo revision) {}

    @Override
    public void register(Routes routes) {
        routes.get("/v1/sets/{set}/manifest", Access.SET, this::current);
        routes.get("/v1/sets/{set}/revisions", Access.SET, this::list);
        routes.get("/v1/sets/{set}/revisions/{revision}/manifest", Access.SET, this::ofRevision);
    }

    /** The newest first; what is kept changes without a new head, so this has no tag. */
    private void list(Exchange exchange) throws IOException, InterruptedException {
        Reading.Read read = reading.head(exchange, 0);
        long limit = exchange.queryNumber("limit", 100, 1, MAX_PAGE);
        long before = exchange.queryNumber("before", Long.MAX_VALUE, 1, Long.MAX_VALUE);
        exchange.set("Cache-Control", Validators.REVALIDATE);
        exchange.json(200, SetJson.revisions(read.heads(), read.set(), before, limit));
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
     * @throws Fault {@link FaultKind#REVISION_GONE} if its contents are no longer kept, {@link FaultKind#BEHIND_MIN_REVISION} if it
     *         is above the head: another process may know it
     */
    static Kept kept(Reading reading, Exchange exchange) throws InterruptedException {
        long number = exchange.pathNumber("revision");
        AtomicReference<SetState> asked = new AtomicReference<>();
        Kept kept = reading.immutable(exchange, (heads, set) -> {
            asked.set(set);
            return set.revision(number).filter(revision -> set.hasContents(number))
                    .map(revision -> new Kept(heads, set, revision));
        }).orElseThrow(() -> missing(number, asked.get()));
        Reading.describe(exchange, kept.heads(), number);
        return kept;
    }

    private static Fault missing(long number, SetState set) {
        if (number > set.revision()) {
            return new Fault(FaultKind.BEHIND_MIN_REVISION,
                    "this process is at revision " + set.revision() + ", revision " + number + " is asked for");
        }
        return new Fault(FaultKind.REVISION_GONE, "revision " + number
                + (set.revision(number).isPresent()
                        ? " is kept as a change only, the oldest whose contents are kept is "
                        : " is no longer kept, the oldest is ")
                + set.oldestContents());
    }
}
