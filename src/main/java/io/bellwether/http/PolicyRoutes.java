package io.bellwether.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.jspecify.annotations.Nullable;

import io.bellwether.catalog.PolicyReads;
import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.policy.Limits;
import io.bellwether.policy.SegmentRef;
import io.bellwether.policy.Sha256;

/** One policy by its key, and pages of policies in key order. Bodies are byte for byte as the feed gave them. */
final class PolicyRoutes implements RouteModule {
    private static final int MAX_PAGE = 1000;

    private final Reading reading;
    private final PolicyReads policies;
    private final HeapShare heap;
    private final Admission admission = new Admission("policy reads", 32);

    PolicyRoutes(Reading reading, PolicyReads policies, HeapShare heap) {
        this.reading = reading;
        this.policies = policies;
        this.heap = heap;
    }

    @Override
    public void register(Routes routes) {
        routes.get("/v1/sets/{set}/policies/{key}", Access.SET, admission.guard(this::one));
        routes.get("/v1/sets/{set}/policies", Access.SET, admission.guard(this::page));
    }

    private void one(Exchange exchange) throws IOException, InterruptedException {
        Reading.Read read = reading.head(exchange, 0);
        byte[] key = exchange.pathBytes("key");
        if (key.length == 0 || key.length > Limits.MAX_KEY_BYTES) {
            throw unknown();
        }
        SegmentRef segment = PolicyReads.segmentOf(read.set(), key).orElseThrow(PolicyRoutes::unknown);
        // A policy cannot change without its segment; who has the tag has had the policy of this key from it.
        String etag = "\"" + segment.sha256().hex().substring(0, 32) + "." + Sha256.of(key).hex().substring(0, 8)
                + "\"";
        String condition = exchange.header("If-None-Match");
        boolean known = condition != null && Validators.tags(condition).contains(etag);
        byte[] line = known ? new byte[0] : find(segment, key);
        if (!Validators.answered(exchange, etag, Validators.REVALIDATE)) {
            exchange.answer(200, Json.TYPE, line);
        }
    }

    private byte[] find(SegmentRef segment, byte[] key) throws IOException, InterruptedException {
        HeapShare.Taken taken = heap.take(2 * segment.rawBytes());
        try {
            return policies.find(segment, key).orElseThrow(PolicyRoutes::unknown);
        } finally {
            taken.close();
        }
    }

    private void page(Exchange exchange) throws IOException, InterruptedException {
        Reading.Read read = reading.head(exchange, 0);
        byte[] prefix = key(exchange.query("prefix"));
        byte[] after = key(exchange.query("after"));
        int limit = (int) exchange.queryNumber("limit", 100, 1, MAX_PAGE);
        if (Validators.answered(exchange, read.etag(), Validators.REVALIDATE)) {
            return;
        }
        HeapShare.Taken taken = heap.take(PolicyReads.pageHeapBytes(read.set()));
        try {
            write(exchange, read, policies.page(read.set(), prefix, after, limit));
        } finally {
            taken.close();
        }
    }

    private static void write(Exchange exchange, Reading.Read read, PolicyReads.Page page) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream(page.lines().length + 256);
        byte[] head = Json.bytes(Json.object().put("set", read.set().name())
                .put("epoch", read.heads().epoch().toString()).put("revision", read.set().revision())
                .put("count", page.count()));
        body.write(head, 0, head.length - 1);
        text(body, ",\"policies\":[");
        byte[] lines = page.lines();
        for (int i = 0; i < lines.length; i++) {
            // A line feed stands only behind a policy: a canonical line has none inside.
            body.write(lines[i] != '\n' ? lines[i] : i == lines.length - 1 ? ' ' : ',');
        }
        text(body, "],\"next\":");
        byte[] next = page.next();
        body.writeBytes(next == null
                ? "null".getBytes(StandardCharsets.US_ASCII)
                : Json.bytes(JsonNodeFactory.instance.textNode(new String(next, StandardCharsets.UTF_8))));
        text(body, "}");
        exchange.answer(200, Json.TYPE, body.toByteArray());
    }

    private static byte[] key(@Nullable String text) {
        return text == null ? new byte[0] : text.getBytes(StandardCharsets.UTF_8);
    }

    private static void text(ByteArrayOutputStream out, String text) {
        out.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static Fault unknown() {
        return new Fault(FaultKind.NOT_FOUND, "the set has no policy of this key");
    }
}
