package io.bellwether.catalog;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.policy.Sha256;

/**
 * Segments on the disk of this host, shared by its processes, filled from PostgreSQL when asked for. Thread safe.
 *
 * <p>What it returns has been checked against its name by this process at least once. A file that is missing, cut or
 * wrong is fetched again. A segment is fetched by one thread of one process of the host at a time, so that however many
 * clients ask for a new revision, PostgreSQL is read once. Bounded in bytes: the least recently used that no head refers
 * to make room; what finds no room, or no disk, is served from memory and not kept.
 */
public final class SegmentStore {
    private static final Logger log = LoggerFactory.getLogger(SegmentStore.class);
    static final int STRIPES = 256;

    /** How many bytes are asked for by one question, one segment at least. */
    private static final long BATCH_BYTES = 2 << 20;

    /** So that cold readers leave connections of the pool to the others. */
    private static final int FETCHES_AT_ONCE = 4;

    private static final Duration HOST_LOCK_LIMIT = Duration.ofSeconds(15);
    private static final Duration TOUCH_EVERY = Duration.ofMinutes(5);
    private static final Duration WARN_EVERY = Duration.ofMinutes(1);
    private static final long LARGEST_DEFAULT = 64L << 30;

    /** A segment to be brought to this host: its name, and its length as the manifest says. */
    record Wanted(Sha256 sha256, long bytes) {
        /** Segments of one stripe are fetched under one lock. */
        int stripe() {
            return SegmentStore.stripe(sha256);
        }
    }

    private final SegmentFiles files;
    private final HostLocks hostLocks;
    private final long maxBytes;
    private final SegmentSource source;
    private final Supplier<Heads> heads;
    private final InstantSource clock;
    private final ReentrantLock[] stripes = IntStream.range(0, STRIPES).mapToObj(i -> new ReentrantLock())
            .toArray(ReentrantLock[]::new);
    private final Semaphore fetching = new Semaphore(FETCHES_AT_ONCE);
    private final Map<Sha256, Instant> sound = new ConcurrentHashMap<>();
    private final AtomicLong usedBytes = new AtomicLong();
    private final AtomicLong fetched = new AtomicLong();
    private final ReentrantLock sweeping = new ReentrantLock();
    private volatile Instant lastWarning = Instant.MIN;
    /** Until when nothing is fetched ahead, because the disk refused what was fetched. */
    private volatile Instant keepsNothingUntil = Instant.MIN;

    /**
     * A store in that folder.
     *
     * @param dataDir the folder shared by the processes of a host
     * @param maxBytes how much it may hold
     * @param source where segments come from
     * @param heads what is served now, and so is not evicted
     * @param clock for the order of use
     * @throws IOException if the folder cannot be used
     */
    public SegmentStore(Path dataDir, long maxBytes, SegmentSource source, Supplier<Heads> heads, InstantSource clock)
            throws IOException {
        this.files = new SegmentFiles(dataDir.resolve("segments"));
        this.hostLocks = new HostLocks(dataDir.resolve("locks"));
        this.maxBytes = maxBytes;
        this.source = source;
        this.heads = heads;
        this.clock = clock;
        usedBytes.set(bytesOf(files.list(clock.instant())));
    }

    /**
     * Half of what is free on the disk of that folder or held by the store itself, at most 64 GiB: the same however much
     * it holds already.
     */
    public static long defaultMaxBytes(Path dataDir) throws IOException {
        long free = Files.getFileStore(Files.createDirectories(dataDir)).getUsableSpace();
        long used = bytesOf(new SegmentFiles(dataDir.resolve("segments")).list(Instant.EPOCH));
        return Math.min(LARGEST_DEFAULT, (free + used) / 2);
    }

    private static long bytesOf(List<SegmentFiles.Kept> all) {
        return all.stream().mapToLong(SegmentFiles.Kept::bytes).sum();
    }

    /**
     * Opens a segment, fetching it first when needed.
     *
     * @param sha256 its name
     * @param bytes its length, as the manifest says
     * @throws Fault {@link FaultKind#UNAVAILABLE} if it is not on this host and the database is away,
     *         {@link FaultKind#REVISION_GONE} if the database has it no more
     * @throws IOException if the disk fails
     */
    public StoredSegment open(Sha256 sha256, long bytes) throws IOException {
        StoredSegment held = openKept(sha256, bytes);
        if (held != null) {
            return held;
        }
        return alone(sha256, () -> {
            StoredSegment meanwhile = openKept(sha256, bytes);
            return meanwhile != null ? meanwhile : fetchInCompany(new Wanted(sha256, bytes));
        });
    }

    /**
     * Fetches a segment together with what else of its stripe this host lacks of the heads that have it: who reads a set from
     * its beginning will ask for those next, and one question for all of them costs a tenth of one for each.
     */
    private StoredSegment fetchInCompany(Wanted asked) throws IOException {
        List<Wanted> batch = clock.instant().isBefore(keepsNothingUntil)
                ? List.of(asked)
                : StripeMates.of(asked, heads.get(), one -> !holds(one.sha256(), one.bytes()),
                        bytes -> bytes <= BATCH_BYTES && hasRoomFor(bytes));
        if (batch.size() > 1) {
            try {
                bringBatch(batch);
            } catch (Fault e) {
                if (e.kind() != FaultKind.INTERNAL) {
                    throw e;
                }
                log.debug("one of the others is damaged", e);
            }
            StoredSegment brought = openKept(asked.sha256(), asked.bytes());
            if (brought != null) {
                return brought;
            }
        }
        return fetch(asked.sha256(), asked.bytes());
    }

    /** What one thread of one process of the host does at a time, for all segments of a stripe. */
    @FunctionalInterface
    private interface Alone<T> {
        T act() throws IOException;
    }

    private <T> T alone(Sha256 of, Alone<T> act) throws IOException {
        ReentrantLock stripe = stripes[stripe(of)];
        stripe.lock();
        try (HostLocks.Lock _ = hostLocks.lock(of.hex().substring(0, 2), HOST_LOCK_LIMIT)) {
            return act.act();
        } finally {
            stripe.unlock();
        }
    }

    /** One of {@link #STRIPES}. */
    static int stripe(Sha256 sha256) {
        return sha256.firstByte();
    }

    /**
     * Brings those of the segments to this host that are not on it: many by one question, which costs a tenth of asking for
     * each, and once for all processes of the host. What the database has no more is left out.
     *
     * @param wanted all of one stripe
     * @return whether there was room; without, the rest is left out
     * @throws Fault {@link FaultKind#UNAVAILABLE} if the database is away
     * @throws IOException if the disk fails
     */
    boolean bring(List<Wanted> wanted) throws IOException {
        return alone(wanted.getFirst().sha256(), () -> {
            List<Wanted> batch = new ArrayList<>();
            long bytes = 0;
            for (Wanted one : wanted) {
                if (holds(one.sha256(), one.bytes())) {
                    continue;
                }
                if (bytes + one.bytes() > BATCH_BYTES) {
                    bringBatch(batch);
                    batch.clear();
                    bytes = 0;
                }
                if (!hasRoomFor(bytes + one.bytes())) {
                    bringBatch(batch);
                    return false;
                }
                batch.add(one);
                bytes += one.bytes();
            }
            bringBatch(batch);
            return true;
        });
    }

    private void bringBatch(List<Wanted> batch) throws IOException {
        if (batch.isEmpty()) {
            return;
        }
        Map<Sha256, byte[]> found = ask(() -> source.fetchAll(batch.stream().map(Wanted::sha256).toList()));
        for (Wanted one : batch) {
            byte[] content = found.get(one.sha256());
            if (content != null) {
                check(one.sha256(), one.bytes(), content);
                keep(one.sha256(), content);
            }
        }
    }

    /** Whether the segment lies on this host; it may still turn out to be damaged. */
    public boolean holds(Sha256 sha256, long bytes) {
        return files.exists(sha256, bytes);
    }

    /** How much it holds, about; other processes of the host change it too. */
    public long usedBytes() {
        return usedBytes.get();
    }

    /** A file on the disk of this host that is gone when it is closed. */
    FileChannel scratch() throws IOException {
        return files.scratch();
    }

    /** Segments fetched from the database by this process. */
    public long fetched() {
        return fetched.get();
    }

    /** Whether {@code bytes} more would find room without evicting anything. */
    boolean hasRoomFor(long bytes) {
        return usedBytes.get() + bytes <= maxBytes;
    }

    /** Opens what is kept; null when it is not there, not sound, or the disk cannot be read. */
    private @Nullable StoredSegment openKept(Sha256 sha256, long bytes) {
        FileChannel file = null;
        try {
            file = files.open(sha256, bytes);
            if (file == null) {
                return null;
            }
            Instant now = clock.instant();
            Instant touched = sound.get(sha256);
            if (touched == null && !files.isSound(sha256)) {
                log.warn("segment {} on this host is damaged and is fetched again", sha256);
                file.close();
                return null;
            }
            if (touched == null || touched.plus(TOUCH_EVERY).isBefore(now)) {
                sound.put(sha256, now);
                files.touch(sha256, now);
            }
            return StoredSegment.of(file);
        } catch (IOException e) {
            if (!(e instanceof NoSuchFileException)) {
                warn("cannot read segments on this host", e);
            }
            closeQuietly(file);
            return null;
        }
    }

    private static void closeQuietly(@Nullable FileChannel file) {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            log.debug("closing a segment's file", e);
        }
    }

    private StoredSegment fetch(Sha256 sha256, long bytes) throws IOException {
        byte[] content = ask(() -> source.fetch(sha256))
                .orElseThrow(() -> new Fault(FaultKind.REVISION_GONE, "segment " + sha256 + " is no longer kept"));
        check(sha256, bytes, content);
        if (!hasRoomFor(bytes)) {
            sweep();
        }
        if (hasRoomFor(bytes)) {
            keep(sha256, content);
        } else {
            warn("no room for segments on this host, serving them from memory", null);
        }
        return StoredSegment.of(content);
    }

    /** A question to the source. */
    @FunctionalInterface
    private interface Question<T> {
        T ask() throws SQLException;
    }

    private <T> T ask(Question<T> question) {
        fetching.acquireUninterruptibly();
        try {
            return question.ask();
        } catch (SQLException e) {
            throw new Fault(FaultKind.UNAVAILABLE,
                    "a segment is not on this host, and the database cannot be reached now", e);
        } finally {
            fetching.release();
        }
    }

    private void check(Sha256 sha256, long bytes, byte[] content) {
        if (content.length != bytes || !Sha256.of(content).equals(sha256)) {
            throw new Fault(FaultKind.INTERNAL, "segment " + sha256 + " in the database is damaged");
        }
        fetched.incrementAndGet();
    }

    private void keep(Sha256 sha256, byte[] content) {
        try {
            files.write(sha256, content);
            sound.put(sha256, clock.instant());
            usedBytes.addAndGet(content.length);
        } catch (IOException e) {
            keepsNothingUntil = clock.instant().plus(WARN_EVERY);
            warn("cannot keep segments on this host, serving them from memory", e);
        }
    }

    private void warn(String what, @Nullable IOException e) {
        Instant now = clock.instant();
        if (lastWarning.isBefore(now.minus(WARN_EVERY))) {
            lastWarning = now;
            log.warn("{} ({} of {} bytes used){}", what, usedBytes.get(), maxBytes, e == null ? "" : ": " + e);
        }
    }

    /**
     * Counts what is there and deletes what has to go; at most once at a time. Deletes nothing while no heads are loaded:
     * what they need is not known then.
     */
    void sweep() throws IOException {
        if (!sweeping.tryLock()) {
            return;
        }
        try {
            List<SegmentFiles.Kept> all = files.list(clock.instant());
            // What another process evicted is checked again when it comes back.
            sound.keySet().retainAll(all.stream().map(SegmentFiles.Kept::sha256).collect(Collectors.toSet()));
            long used = bytesOf(all);
            if (used > maxBytes * 9 / 10 && !heads.get().isNothing()) {
                Set<Sha256> needed = needed();
                List<SegmentFiles.Kept> candidates = all.stream().filter(k -> !needed.contains(k.sha256()))
                        .sorted(Comparator.comparing(SegmentFiles.Kept::lastUsed)).toList();
                for (SegmentFiles.Kept candidate : candidates) {
                    if (used <= maxBytes * 8 / 10) {
                        break;
                    }
                    files.delete(candidate.sha256());
                    sound.remove(candidate.sha256());
                    used -= candidate.bytes();
                }
            }
            usedBytes.set(used);
        } finally {
            sweeping.unlock();
        }
    }

    private Set<Sha256> needed() {
        Set<Sha256> needed = new HashSet<>();
        for (SetState set : heads.get().byName().values()) {
            set.manifest().segments().forEach(segment -> needed.add(segment.sha256()));
        }
        return needed;
    }
}
