package io.bellwether.http;

import java.util.Optional;

import io.bellwether.catalog.CatalogService;
import io.bellwether.catalog.Heads;
import io.bellwether.catalog.SetState;
import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;

/** How every read of a set begins: look, find it, say which revision this is, refuse to answer from the past. Thread safe. */
final class Reading {
    static final String EPOCH = "Bellwether-Epoch";
    static final String REVISION = "Bellwether-Revision";

    private final CatalogService catalog;

    Reading(CatalogService catalog) {
        this.catalog = catalog;
    }

    /**
     * What one request reads from.
     *
     * @param heads taken once for the whole request
     * @param set the set it names
     */
    record Read(Heads heads, SetState set) {
        /** The tag of the head, and of everything that is a function of the head. */
        String etag() {
            return tag(heads, set.revision());
        }
    }

    /** The tag of a revision. */
    static String tag(Heads heads, long revision) {
        return "\"" + heads.shortEpoch() + ".r" + revision + "\"";
    }

    /**
     * Reads the head of the set that the path names, after a look.
     *
     * @param least a revision that the client goes on from, or 0; those in its header fields are found here
     * @throws Fault {@link FaultKind#NOT_FOUND}, {@link FaultKind#NOT_PUBLISHED_YET},
     *         {@link FaultKind#BEHIND_MIN_REVISION} when the client knows of a later revision, or
     *         {@link FaultKind#REVISION_GONE} when it goes on from one of another epoch
     */
    Read head(Exchange exchange, long least) throws InterruptedException {
        CatalogService.View view = look(exchange);
        SetState set = find(view.heads(), exchange).orElseThrow(() -> unknown(view.stale()));
        describe(exchange, view.heads(), set.revision());
        return check(view, set, exchange, least);
    }

    /**
     * Checks that a request may be answered from what is held of a set: that it is published, and that the client knows of
     * nothing later.
     *
     * @throws Fault as {@link #head}
     */
    static Read check(CatalogService.View view, SetState set, Asked asked, long least) {
        long minimum = minRevision(asked);
        if (namesAnotherEpoch(asked, view.heads()) && Math.max(least, minimum) > 0) {
            if (view.stale()) {
                throw new Fault(FaultKind.UNAVAILABLE, "this process cannot see the database and knows another epoch");
            }
            if (least > 0) {
                throw new Fault(FaultKind.REVISION_GONE, "the epoch changed, it is now " + view.heads().epoch()
                        + ": revisions known from before mean nothing here; fetch the whole set");
            }
            minimum = 0;
        }
        long named = Math.max(least, Math.max(minimum,
                Validators.namedRevision(asked.header("If-None-Match"), view.heads().shortEpoch())));
        if (set.isPublished() && named > set.revision()) {
            throw new Fault(FaultKind.BEHIND_MIN_REVISION,
                    "this process is at revision " + set.revision() + ", revision " + named + " is asked for");
        }
        if (!set.isPublished()) {
            throw unpublished(set, view.stale());
        }
        return new Read(view.heads(), set);
    }

    /** All heads, after a look. */
    Heads heads(Exchange exchange) throws InterruptedException {
        return look(exchange).heads();
    }

    /**
     * Reads what never changes, from what is held; looks only when {@code find} finds nothing there.
     *
     * @param find finds it in a set; the set's head is what it is found in
     * @return what was found, or nothing
     */
    <T> Optional<T> immutable(Exchange exchange, Find<T> find) throws InterruptedException {
        Heads held = catalog.headsToRead();
        Optional<T> found = find(held, exchange).flatMap(set -> find.in(held, set));
        if (found.isPresent()) {
            return found;
        }
        CatalogService.View view = look(exchange);
        SetState set = find(view.heads(), exchange).orElseThrow(() -> unknown(view.stale()));
        describe(exchange, view.heads(), set.revision());
        if (!set.isPublished()) {
            throw unpublished(set, view.stale());
        }
        return find.in(view.heads(), set);
    }

    /** Looks for something in a set. */
    @FunctionalInterface
    interface Find<T> {
        Optional<T> in(Heads heads, SetState set);
    }

    /** Sets the fields that every answer on a set has. */
    static void describe(Exchange exchange, Heads heads, long revision) {
        exchange.set(EPOCH, heads.epoch().toString());
        if (revision > 0) {
            exchange.set(REVISION, Long.toString(revision));
        }
    }

    private CatalogService.View look(Exchange exchange) throws InterruptedException {
        CatalogService.View view = catalog.look();
        if (view.stale()) {
            exchange.set("Bellwether-Stale", "1");
        } else {
            // Set, perhaps, by the look before a wait.
            exchange.clear("Bellwether-Stale");
        }
        if (!catalog.isLoaded()) {
            throw new Fault(FaultKind.UNAVAILABLE, "this process has not seen the database yet");
        }
        return view;
    }

    private static Optional<SetState> find(Heads heads, Exchange exchange) {
        return heads.set(exchange.path("set"));
    }

    /** A process that cannot see the database does not know that there is no such set: another one may. */
    private static Fault unknown(boolean stale) {
        return stale
                ? new Fault(FaultKind.UNAVAILABLE, "this process cannot see the database and knows no set of this name")
                : new Fault(FaultKind.NOT_FOUND, "there is no set of this name");
    }

    /** Nor that a set has no revision yet. */
    private static Fault unpublished(SetState set, boolean stale) {
        return stale
                ? new Fault(FaultKind.UNAVAILABLE,
                        "this process cannot see the database and knows no revision of the set " + set.name())
                : new Fault(FaultKind.NOT_PUBLISHED_YET, "the set " + set.name() + " has no revision yet");
    }

    /** Whether the client says, by the parameter {@code epoch} or the field of that name, that it knows another epoch. */
    private static boolean namesAnotherEpoch(Asked asked, Heads heads) {
        String parameter = asked.query("epoch");
        String named = parameter != null ? parameter : asked.header(EPOCH);
        if (named == null) {
            return false;
        }
        if (!named.strip().matches("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")) {
            throw new Fault(FaultKind.INVALID_REQUEST, "the epoch must be a UUID");
        }
        return !named.strip().equalsIgnoreCase(heads.epoch().toString());
    }

    private static long minRevision(Asked asked) {
        String text = asked.header("Bellwether-Min-Revision");
        if (text == null) {
            return 0;
        }
        if (!text.strip().matches("[0-9]{1,18}")) {
            throw new Fault(FaultKind.INVALID_REQUEST, "Bellwether-Min-Revision must be a revision's number");
        }
        return Long.parseLong(text.strip());
    }
}
