package io.bellwether.http;

import java.io.IOException;
import java.io.OutputStream;

import com.fasterxml.jackson.databind.JsonNode;

import io.bellwether.catalog.ChangeFeed;
import io.bellwether.catalog.SetState;
import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;

/**
 * {@code /v1/sets/{set}/changes?since=R}: what to put and delete to come from revision R (0: from nothing) to the head,
 * also by long poll. With {@code epoch=E}, or the header field {@code Bellwether-Epoch}, R is said to be of that epoch and
 * is gone in another. A feed without its closing line is not whole.
 */
final class ChangeRoutes implements RouteModule {
    private final Reading reading;
    private final Polls polls;
    private final ChangeFeed feed;
    private final HeapShare heap;
    private final Endpoint answer = new Admission("change feeds", 32).guard(this::answer);

    ChangeRoutes(Reading reading, Polls polls, ChangeFeed feed, HeapShare heap) {
        this.reading = reading;
        this.polls = polls;
        this.feed = feed;
        this.heap = heap;
    }

    @Override
    public void register(Routes routes) {
        routes.get("/v1/sets/{set}/changes", Access.SET, this::changes);
    }

    private void changes(Exchange exchange) throws Exception {
        long since = since(exchange);
        Reading.Read read = reading.head(exchange, since);
        ChangeFeed.check(read.set(), since);
        boolean nothingNew = since == read.set().revision();
        polls.orHold(exchange, nothingNew, read.heads(), read.set().name(), answer);
    }

    private void answer(Exchange exchange) throws IOException, InterruptedException {
        long since = since(exchange);
        Reading.Read read = reading.head(exchange, since);
        SetState set = read.set();
        ChangeFeed.check(set, since);
        if (Validators.answered(exchange, read.etag(), Validators.REVALIDATE)) {
            return;
        }
        HeapShare.Taken taken = heap.take(exchange.isHead() ? 0 : ChangeFeed.heapBytes(set, since));
        try {
            write(exchange, read, since);
        } finally {
            taken.close();
        }
    }

    private void write(Exchange exchange, Reading.Read read, long since) throws IOException {
        SetState set = read.set();
        // Not closed here: closing would end the answer well, whatever happened. Nor flushed: a feed that fits the server's buffer
        // is sent with its length, all at once, where an end sent by itself would leave a client waiting for it whose process is
        // stopped between the two.
        OutputStream out = exchange.stream(200, Json.LINES_TYPE, -1);
        if (out == null) {
            return;
        }
        line(out, Json.object().put("from", since).put("to", set.revision())
                .put("epoch", read.heads().epoch().toString()));
        long count = feed.write(set, since, out);
        line(out, Json.object().put("end", true).put("next", set.revision()).put("count", count)
                .put("policies", set.head().policies()).put("contentSha256", set.head().contentSha256().hex()));
    }

    private static void line(OutputStream out, JsonNode json) throws IOException {
        out.write(Json.bytes(json));
        out.write('\n');
    }

    private static long since(Exchange exchange) {
        if (exchange.query("since") == null) {
            throw new Fault(FaultKind.INVALID_REQUEST, "since must name a revision, or 0 for everything");
        }
        return exchange.queryNumber("since", 0, 0, Long.MAX_VALUE);
    }
}
