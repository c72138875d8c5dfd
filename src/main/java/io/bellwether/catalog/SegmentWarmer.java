package io.bellwether.catalog;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.bellwether.fault.Fault;
import io.bellwether.lifecycle.Periodic;
import io.bellwether.lifecycle.Service;
import io.bellwether.policy.SegmentRef;

/**
 * Brings the segments of every head, and the newest changes, to this host before anyone asks, so that reads go on when
 * the database goes away. Thread safe.
 *
 * <p>The processes of a host begin at different stripes and so share the work.
 */
public final class SegmentWarmer implements Service {
    private static final Logger log = LoggerFactory.getLogger(SegmentWarmer.class);
    private static final Duration SWEEP_EVERY = Duration.ofSeconds(30);
    private static final int NEWEST_DELTAS = 16;

    /** Later: the database is away or newer heads have come. No room: until a sweep has made some. */
    private enum Outcome {
        DONE, LATER, NO_ROOM
    }

    private final CatalogService catalog;
    private final SegmentStore store;
    private final Periodic loop = new Periodic("segment-warm", Duration.ofSeconds(2), this::pass);
    private Heads done = Heads.NONE;
    private long sweptNanos = System.nanoTime();
    private volatile boolean stopping;

    /** A warmer of that store. */
    public SegmentWarmer(CatalogService catalog, SegmentStore store) {
        this.catalog = catalog;
        this.store = store;
        catalog.onHeads(ignored -> loop.nudge());
    }

    @Override
    public String name() {
        return "segment-warm";
    }

    @Override
    public void start() {
        loop.start();
    }

    @Override
    public void stop(Duration grace) {
        stopping = true;
        loop.stop(grace);
    }

    private Duration pass() throws IOException {
        if (System.nanoTime() - sweptNanos > SWEEP_EVERY.toNanos()) {
            store.sweep();
            sweptNanos = System.nanoTime();
        }
        Heads heads = catalog.heads();
        if (!heads.isSameAs(done)) {
            Outcome outcome = warm(heads);
            if (outcome == Outcome.LATER) {
                return Duration.ofSeconds(1);
            }
            if (outcome == Outcome.DONE) {
                done = heads;
            }
        }
        return SWEEP_EVERY;
    }

    /** Fetches what is missing, stripe by stripe. */
    private Outcome warm(Heads heads) throws IOException {
        Map<Integer, List<SegmentStore.Wanted>> missing = wanted(heads).stream()
                .filter(one -> !store.holds(one.sha256(), one.bytes()))
                .collect(Collectors.groupingBy(SegmentStore.Wanted::stripe));
        int first = ThreadLocalRandom.current().nextInt(SegmentStore.STRIPES);
        for (int i = 0; i < SegmentStore.STRIPES; i++) {
            List<SegmentStore.Wanted> stripe = missing.get((first + i) % SegmentStore.STRIPES);
            if (stripe == null) {
                continue;
            }
            if (stopping || !catalog.heads().isSameAs(heads)) {
                return Outcome.LATER;
            }
            try {
                if (!store.bring(stripe)) {
                    log.debug("no room to fetch segments ahead of their use");
                    return Outcome.NO_ROOM;
                }
            } catch (Fault e) {
                log.debug("cannot fetch segments ahead of their use: {}", e.getMessage());
                return Outcome.LATER;
            }
        }
        return Outcome.DONE;
    }

    private static List<SegmentStore.Wanted> wanted(Heads heads) {
        List<SegmentStore.Wanted> wanted = new ArrayList<>();
        for (SetState set : heads.byName().values()) {
            for (SegmentRef segment : set.manifest().segments()) {
                wanted.add(new SegmentStore.Wanted(segment.sha256(), segment.bytes()));
            }
            for (long r = Math.max(1, set.revision() - NEWEST_DELTAS + 1); r <= set.revision(); r++) {
                List<DeltaSegment> delta = set.delta(r);
                if (delta != null) {
                    delta.forEach(segment -> wanted.add(new SegmentStore.Wanted(segment.sha256(), segment.bytes())));
                }
            }
        }
        return wanted;
    }
}
