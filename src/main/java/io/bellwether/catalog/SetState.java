package io.bellwether.catalog;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.bellwether.policy.Manifest;
import io.bellwether.policy.SegmentRef;
import io.bellwether.policy.Sha256;

/** One set as a process holds it: its kept revisions, the head's manifest, and what older manifests are made of. Immutable. */
public final class SetState {
    private static final Comparator<ManifestEntry> BY_KEY = (a, b) -> Arrays.compareUnsigned(a.segment().firstKey(),
            b.segment().firstKey());
    private static final int CACHED_MANIFESTS = 4;

    private final long setId;
    private final String name;
    private final long version;
    private final long contentsFrom;
    private final NavigableMap<Long, RevisionInfo> revisions;
    private final List<ManifestEntry> live;
    private final List<ManifestEntry> ended;
    private final Map<Long, List<DeltaSegment>> deltas;
    private final Manifest manifest;
    private final Map<Sha256, Long> segments;
    private final Map<Long, Manifest> olderManifests = new ConcurrentHashMap<>();

    /**
     * A set.
     *
     * @param setId its row
     * @param name its name
     * @param version of its row
     * @param contentsFrom the first revision whose contents are kept; of earlier ones only the changes are
     * @param revisions those kept, the head included; empty before the first publish
     * @param entries the places of segments that the contents which are kept have, in any order; others are left out
     * @param deltas the changes of the kept revisions that have some
     */
    SetState(long setId, String name, long version, long contentsFrom, NavigableMap<Long, RevisionInfo> revisions,
            Collection<ManifestEntry> entries, Map<Long, List<DeltaSegment>> deltas) {
        this.setId = setId;
        this.name = name;
        this.version = version;
        this.contentsFrom = contentsFrom;
        this.revisions = revisions;
        this.deltas = deltas;
        this.live = new ArrayList<>(entries.size());
        this.ended = new ArrayList<>();
        this.segments = HashMap.newHashMap(entries.size());
        long oldest = revisions.isEmpty() ? Long.MAX_VALUE : oldestContents();
        for (ManifestEntry entry : entries) {
            if (entry.removedIn() > oldest) {
                (entry.removedIn() == ManifestEntry.LIVE ? live : ended).add(entry);
                segments.put(entry.segment().sha256(), entry.segment().bytes());
            }
        }
        live.sort(BY_KEY);
        deltas.values().forEach(list -> list.forEach(delta -> segments.put(delta.sha256(), delta.bytes())));
        this.manifest = Manifest.of(live.stream().map(ManifestEntry::segment).toList());
    }

    long setId() {
        return setId;
    }

    /** The set's name. */
    public String name() {
        return name;
    }

    long version() {
        return version;
    }

    /** Whether it has a revision. */
    public boolean isPublished() {
        return !revisions.isEmpty();
    }

    /**
     * The current revision.
     *
     * @throws IllegalStateException before the first publish
     */
    public RevisionInfo head() {
        if (revisions.isEmpty()) {
            throw new IllegalStateException(name + " has no revision");
        }
        return revisions.lastEntry().getValue();
    }

    /** The current revision's number, 0 before the first publish. */
    public long revision() {
        return revisions.isEmpty() ? 0 : revisions.lastKey();
    }

    /** The oldest revision that is still kept, 0 before the first publish. */
    public long oldestRevision() {
        return revisions.isEmpty() ? 0 : revisions.firstKey();
    }

    long contentsFrom() {
        return contentsFrom;
    }

    /** The oldest revision whose contents are still kept, 0 before the first publish. */
    public long oldestContents() {
        return revisions.isEmpty() ? 0 : Math.max(revisions.firstKey(), contentsFrom);
    }

    /** Whether a revision's contents are kept, and not only what changed in it. */
    public boolean hasContents(long number) {
        return number >= contentsFrom && revisions.containsKey(number);
    }

    /** The revisions that are kept, if only as changes, oldest first. */
    public Collection<RevisionInfo> revisions() {
        return revisions.values();
    }

    /** Those before that one, the newest first. */
    public Collection<RevisionInfo> revisionsBefore(long number) {
        return revisions.headMap(number, false).descendingMap().values();
    }

    /** A kept revision; its contents may be gone. */
    public Optional<RevisionInfo> revision(long number) {
        return Optional.ofNullable(revisions.get(number));
    }

    /** The head's segments. */
    public Manifest manifest() {
        return manifest;
    }

    /** The segments of a revision, or nothing when its contents are not kept. */
    public Optional<Manifest> manifest(long number) {
        if (!hasContents(number)) {
            return Optional.empty();
        }
        if (number == revisions.lastKey()) {
            return Optional.of(manifest);
        }
        Manifest cached = olderManifests.get(number);
        if (cached == null) {
            cached = build(number);
            if (olderManifests.size() >= CACHED_MANIFESTS) {
                olderManifests.clear();
            }
            olderManifests.put(number, cached);
        }
        return Optional.of(cached);
    }

    /** The changes from the revision before to this one, or null when they are not kept. */
    public @Nullable List<DeltaSegment> delta(long number) {
        RevisionInfo info = revisions.get(number);
        return info == null || !info.hasDelta() ? null : deltas.getOrDefault(number, List.of());
    }

    /** The length of a segment that some kept revision of this set refers to, or null when none does. */
    public @Nullable Long segmentBytes(Sha256 sha256) {
        return segments.get(sha256);
    }

    /** The segments that some kept revision refers to, with their lengths. */
    public Map<Sha256, Long> segments() {
        return Collections.unmodifiableMap(segments);
    }

    Map<Long, List<DeltaSegment>> deltas() {
        return deltas;
    }

    /** How many segments that the head has no more are held for the sake of older contents. */
    public int endedEntries() {
        return ended.size();
    }

    List<ManifestEntry> entries() {
        List<ManifestEntry> all = new ArrayList<>(live);
        all.addAll(ended);
        return all;
    }

    private Manifest build(long number) {
        List<ManifestEntry> entries = new ArrayList<>(live.size());
        live.stream().filter(e -> e.isIn(number)).forEach(entries::add);
        ended.stream().filter(e -> e.isIn(number)).forEach(entries::add);
        entries.sort(BY_KEY);
        List<SegmentRef> refs = entries.stream().map(ManifestEntry::segment).toList();
        return Manifest.of(refs);
    }

    /** What changed in a set since a state that is held. */
    record Changes(long version, long contentsFrom, long oldestRevision, List<RevisionInfo> newRevisions,
            List<ManifestEntry> added,
            List<ManifestEntry> removed, Map<Long, List<DeltaSegment>> deltas) {}

    /** The state after these changes. */
    SetState after(Changes changes) {
        TreeMap<Long, RevisionInfo> kept = new TreeMap<>(revisions.tailMap(changes.oldestRevision(), true));
        changes.newRevisions().forEach(r -> kept.put(r.revision(), r));
        Map<Key, Long> removed = HashMap.newHashMap(changes.removed().size());
        changes.removed().forEach(e -> removed.put(new Key(e), e.removedIn()));
        List<ManifestEntry> entries = new ArrayList<>(live.size() + ended.size() + changes.added().size());
        for (ManifestEntry entry : live) {
            Long removedIn = removed.isEmpty() ? null : removed.get(new Key(entry));
            entries.add(removedIn == null ? entry : entry.endingIn(removedIn));
        }
        entries.addAll(ended);
        entries.addAll(changes.added());
        Map<Long, List<DeltaSegment>> keptDeltas = HashMap.newHashMap(deltas.size() + 1);
        deltas.forEach((number, list) -> {
            if (kept.containsKey(number)) {
                keptDeltas.put(number, list);
            }
        });
        keptDeltas.putAll(changes.deltas());
        return new SetState(setId, name, changes.version(), changes.contentsFrom(), kept, entries, keptDeltas);
    }

    private record Key(byte[] firstKey, long addedIn) {
        Key(ManifestEntry entry) {
            this(entry.segment().firstKey(), entry.addedIn());
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key that && addedIn == that.addedIn && Arrays.equals(firstKey, that.firstKey);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(firstKey) * 31 + Long.hashCode(addedIn);
        }
    }
}
