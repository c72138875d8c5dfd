package io.bellwether.refresh;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.bellwether.policy.GzipMember;
import io.bellwether.policy.SegmentRef;
import io.bellwether.policy.Sha256;

/**
 * Compresses, hashes and stores segments, several at once, on threads of its own. Whoever brings more than it can take
 * waits, so that chunks in at most {@link #IN_FLIGHT_KIB} of memory (or one larger) are under way. Belongs to one thread.
 */
final class SegmentPress implements AutoCloseable {
    private static final int IN_FLIGHT_KIB = 16 << 10;
    /** From how many lines on segments are compressed and stored, a transaction for all of them. */
    private static final int BATCH_KIB = 1 << 10;
    /** One more than processors, for each waits half of its time for the database. */
    private static final int MOST_THREADS = 5;
    private static final int SPARE_BYTES = 32 << 10;
    /** Larger memory is not kept for another chunk: most are smaller. */
    private static final int LARGEST_SPARE_BYTES = 64 << 10;
    private static final int MOST_SPARES = 128;

    private final SegmentStore store;
    private final Supplier<Pace.Steps> paces;
    private final ExecutorService threads;
    private final Semaphore room = new Semaphore(IN_FLIGHT_KIB);
    private final BlockingQueue<byte[]> spares = new ArrayBlockingQueue<>(MOST_SPARES);
    private final AtomicInteger pressed = new AtomicInteger();
    private List<Pressed> batch = new ArrayList<>();
    private int batchKib;
    private volatile @Nullable Throwable failure;

    private static final class Pressed {
        private final Chunk chunk;
        private final int cost;
        private final CompletableFuture<SegmentRef> done = new CompletableFuture<>();

        Pressed(Chunk chunk, int cost) {
            this.chunk = chunk;
            this.cost = cost;
        }
    }

    /**
     * A press without chunks.
     *
     * @param store where segments go
     * @param paces makes the steps of a thread, which begins to work then; thread safe
     */
    SegmentPress(SegmentStore store, Supplier<Pace.Steps> paces) {
        this.store = store;
        this.paces = paces;
        int number = Math.clamp(Runtime.getRuntime().availableProcessors() + 1, 1, MOST_THREADS);
        this.threads = Executors.newFixedThreadPool(number,
                Thread.ofPlatform().name("segment-press-", 0).daemon(true).factory());
    }

    /** An empty chunk, in memory that an earlier one had where there is some. */
    Chunk chunk(byte[] firstKey) {
        byte[] spare = spares.poll();
        return new Chunk(firstKey, spare == null ? new byte[SPARE_BYTES] : spare);
    }

    private void reuse(Chunk chunk) {
        if (chunk.array().length <= LARGEST_SPARE_BYTES) {
            boolean unused = spares.offer(chunk.array());
        }
    }

    /**
     * Takes a chunk; the caller must not touch it any more.
     *
     * @return the segment that becomes of it; to be waited for by {@link #await} alone
     * @throws SQLException if an earlier one could not be stored
     */
    Future<SegmentRef> press(Chunk chunk) throws InterruptedException, SQLException {
        int cost = Math.clamp(chunk.array().length >>> 10, 1, IN_FLIGHT_KIB);
        int kib = chunk.size() >>> 10;
        if (!room.tryAcquire(cost)) {
            // What waits for company takes room, too.
            flush();
            room.acquire(cost);
        }
        rethrow(failure);
        if (kib >= BATCH_KIB) {
            // A large one goes alone.
            flush();
        }
        Pressed pressing = new Pressed(chunk, cost);
        batch.add(pressing);
        batchKib += kib;
        if (batchKib >= BATCH_KIB) {
            flush();
        }
        return pressing.done;
    }

    private void flush() {
        List<Pressed> full = batch;
        batch = new ArrayList<>();
        batchKib = 0;
        if (!full.isEmpty()) {
            threads.execute(() -> store(full));
        }
    }

    private void store(List<Pressed> all) {
        try (GzipMember.Compressor compressor = new GzipMember.Compressor()) {
            SortedMap<Sha256, byte[]> contents = new TreeMap<>();
            List<SegmentRef> refs = new ArrayList<>(all.size());
            Pace.Steps steps = paces.get();
            for (Pressed one : all) {
                Chunk chunk = one.chunk;
                byte[] content = compressor.compress(chunk.array(), chunk.size());
                Sha256 name = Sha256.of(content);
                contents.put(name, content);
                refs.add(new SegmentRef(chunk.firstKey(), name, chunk.digest(), content.length, chunk.size(),
                        chunk.policies()));
                steps.done();
            }
            store.put(contents);
            pressed.addAndGet(all.size());
            for (int i = 0; i < refs.size(); i++) {
                all.get(i).done.complete(refs.get(i));
            }
        } catch (Throwable t) {
            failure = t;
            all.forEach(one -> one.done.completeExceptionally(t));
        } finally {
            for (Pressed one : all) {
                reuse(one.chunk);
                room.release(one.cost);
            }
        }
    }

    /** Waits for segments, in order. */
    List<SegmentRef> await(List<Future<SegmentRef>> segments) throws InterruptedException, SQLException {
        flush();
        List<SegmentRef> done = new ArrayList<>(segments.size());
        for (Future<SegmentRef> segment : segments) {
            try {
                done.add(segment.get());
            } catch (ExecutionException e) {
                rethrow(e.getCause());
            }
        }
        return done;
    }

    /** How many segments were stored. */
    int pressed() {
        return pressed.get();
    }

    private static void rethrow(@Nullable Throwable failure) throws SQLException {
        switch (failure) {
            case null -> {
                // All is well.
            }
            case SQLException e -> throw new SQLException("a segment could not be stored: " + e.getMessage(),
                    e.getSQLState(), e);
            default -> throw new IllegalStateException("a segment could not be built: " + failure, failure);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        threads.close();
    }
}
