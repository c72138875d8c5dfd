package io.bellwether.catalog;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.bellwether.fault.Fault;
import io.bellwether.lifecycle.Periodic;
import io.bellwether.lifecycle.Service;
import io.bellwether.policy.SegmentRef;
import io.bellwether.policy.Sha256;

/**
 * Brings the segments of every head, and the newest changes, to this host before anyone asks, so that reads go on when
 * the database goes away. Thread safe.
 *
 * <p>The processes of a host begin at different places of the list and so share the work.
 */
public final class SegmentWarmer implements Service {
    private static final Logger log = LoggerFactory.getLogger(SegmentWarmer.class);
    private static final Duration SWEEP_EVERY = Duration.ofSeconds(30);
    private static final int NEWEST_DELTAS = 16;

    /** Later: the database is away or newer heads have come. No room: until a sweep has made some. */
    private enum Outcome {
        DONE, LATER, NO_ROOM
    }

    private record Wanted(Sha256 sha256, long bytes) {}

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

    /** Fetches what is missing. */
    private Outcome warm(Heads heads) throws IOException {
        List<Wanted> wanted = wanted(heads);
        int first = wanted.isEmpty() ? 0 : ThreadLocalRandom.current().nextInt(wanted.size());
        for (int i = 0; i < wanted.size(); i++) {
            if (stopping || !catalog.heads().isSameAs(heads)) {
                return Outcome.LATER;
            }
            Wanted one = wanted.get((first + i) % wanted.size());
            if (store.holds(one.sha256(), one.bytes())) {
                continue;
            }
            if (!store.hasRoomFor(one.bytes())) {
                log.debug("no room to fetch segments ahead of their use");
                return Outcome.NO_ROOM;
            }
            try {
                store.open(one.sha256(), one.bytes()).close();
            } catch (Fault e) {
                log.debug("cannot fetch segments ahead of their use: {}", e.getMessage());
                return Outcome.LATER;
            }
        }
        return Outcome.DONE;
    }

    private static List<Wanted> wanted(Heads heads) {
        List<Wanted> wanted = new ArrayList<>();
        for (SetState set : heads.byName().values()) {
            for (SegmentRef segment : set.manifest().segments()) {
                wanted.add(new Wanted(segment.sha256(), segment.bytes()));
            }
            for (long r = Math.max(1, set.revision() - NEWEST_DELTAS + 1); r <= set.revision(); r++) {
                List<DeltaSegment> delta = set.delta(r);
                if (delta != null) {
                    delta.forEach(segment -> wanted.add(new Wanted(segment.sha256(), segment.bytes())));
                }
            }
        }
        return wanted;
    }
}
