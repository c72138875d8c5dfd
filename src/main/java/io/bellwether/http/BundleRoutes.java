package io.bellwether.http;

import java.io.IOException;

import io.bellwether.policy.Manifest;

/**
 * The whole of a set as one file: under its revision, where it may be fetched in parts, and a redirect
 * there from the head. The redirect has no tag: curl would keep it beside that of the file and never get a 304 again.
 */
final class BundleRoutes implements RouteModule {
    private static final String TYPE = "application/gzip";

    private final Reading reading;
    private final SegmentBodies bodies;
    private final Admission admission = new Admission("downloads", 128);

    BundleRoutes(Reading reading, SegmentBodies bodies) {
        this.reading = reading;
        this.bodies = bodies;
    }

    @Override
    public void register(Routes routes) {
        routes.get("/v1/sets/{set}/bundle.ndjson.gz", Access.SET, this::current);
        routes.get("/v1/sets/{set}/revisions/{revision}/bundle.ndjson.gz", Access.SET,
                admission.guard(this::ofRevision));
    }

    private void current(Exchange exchange) throws IOException, InterruptedException {
        Reading.Read read = reading.head(exchange, 0);
        if (Validators.matches(exchange.header("If-None-Match"), read.etag())) {
            boolean answered = Validators.answered(exchange, read.etag(), Validators.REVALIDATE);
            assert answered;
            return;
        }
        exchange.set("Cache-Control", Validators.REVALIDATE);
        exchange.set("Location", "/v1/sets/" + read.set().name() + "/revisions/" + read.set().revision()
                + "/bundle.ndjson.gz");
        exchange.empty(307);
    }

    private void ofRevision(Exchange exchange) throws IOException, InterruptedException {
        ManifestRoutes.Kept kept = ManifestRoutes.kept(reading, exchange);
        String etag = Reading.tag(kept.heads(), kept.revision().revision());
        if (!Validators.answered(exchange, etag, Validators.REVALIDATE)) {
            Manifest manifest = kept.set().manifest(kept.revision().revision()).orElseThrow();
            bodies.answer(exchange, TYPE, manifest.segments(), manifest.bytes(), etag);
        }
    }
}
