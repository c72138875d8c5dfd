package io.bellwether.http;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

import io.bellwether.catalog.Heads;
import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.policy.SegmentRef;
import io.bellwether.policy.Sha256;

/**
 * {@code /v1/sets/{set}/segments/{sha256}}: a segment that some kept revision of this set refers to, in its manifest or
 * among its changes. One that only another set has is not found: the token may not open that one.
 */
final class SegmentRoutes implements RouteModule {
    private static final String TYPE = "application/gzip";

    private final Reading reading;
    private final SegmentBodies bodies;
    private final Admission admission = new Admission("downloads", 256);

    SegmentRoutes(Reading reading, SegmentBodies bodies) {
        this.reading = reading;
        this.bodies = bodies;
    }

    private record Found(Heads heads, long head, long bytes) {}

    @Override
    public void register(Routes routes) {
        routes.get("/v1/sets/{set}/segments/{sha256}", Access.SET, admission.guard(this::segment));
    }

    private void segment(Exchange exchange) throws IOException, InterruptedException {
        Sha256 sha256 = name(exchange);
        Found found = reading.immutable(exchange, (heads, set) -> {
            Long bytes = set.segmentBytes(sha256);
            return Optional.ofNullable(bytes == null ? null : new Found(heads, set.revision(), bytes));
        }).orElseThrow(SegmentRoutes::unknown);
        Reading.describe(exchange, found.heads(), found.head());
        String etag = "\"" + sha256.hex() + "\"";
        if (!Validators.answered(exchange, etag, Validators.IMMUTABLE)) {
            SegmentRef ref = new SegmentRef(new byte[0], sha256, sha256, found.bytes(), 0, 0);
            bodies.answer(exchange, TYPE, List.of(ref), found.bytes(), etag);
        }
    }

    private static Sha256 name(Exchange exchange) {
        try {
            return Sha256.parse(exchange.path("sha256"));
        } catch (IllegalArgumentException e) {
            throw unknown();
        }
    }

    private static Fault unknown() {
        return new Fault(FaultKind.NOT_FOUND, "no kept revision of this set has a segment of this name");
    }
}
