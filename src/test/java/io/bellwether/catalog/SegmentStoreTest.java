package io.bellwether.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.policy.SegmentRef;
import io.bellwether.policy.Sha256;

class SegmentStoreTest {
    private final Map<Sha256, byte[]> inDatabase = new ConcurrentHashMap<>();
    private final AtomicInteger fetches = new AtomicInteger();
    private final AtomicReference<Heads> heads = new AtomicReference<>(Heads.NONE);
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
    private volatile boolean databaseAway;

    @TempDir
    private Path dataDir;

    private SegmentStore store(long maxBytes) throws IOException {
        return new SegmentStore(dataDir, maxBytes, this::fetch, heads::get, now::get);
    }

    private Optional<byte[]> fetch(Sha256 sha256) throws SQLException {
        fetches.incrementAndGet();
        if (databaseAway) {
            throw new SQLException("away", "08006");
        }
        return Optional.ofNullable(inDatabase.get(sha256));
    }

    private Sha256 segment(int seed, int bytes) {
        byte[] content = new byte[bytes];
        new Random(seed).nextBytes(content);
        Sha256 sha256 = Sha256.of(content);
        inDatabase.put(sha256, content);
        return sha256;
    }

    private byte[] read(SegmentStore store, Sha256 sha256, int bytes) throws IOException {
        try (StoredSegment segment = store.open(sha256, bytes)) {
            assertThat(segment.size()).isEqualTo(bytes);
            ByteBuffer all = ByteBuffer.allocate(bytes);
            while (all.hasRemaining()) {
                segment.read(all, all.position());
            }
            return all.array();
        }
    }

    private Path file(Sha256 sha256) {
        return dataDir.resolve("segments").resolve(sha256.hex().substring(0, 2)).resolve(sha256.hex());
    }

    @Test
    void open_again_readsTheDatabaseOnce() throws Exception {
        Sha256 one = segment(1, 5_000);
        SegmentStore store = store(1 << 20);
        for (int i = 0; i < 3; i++) {
            assertThat(read(store, one, 5_000)).isEqualTo(inDatabase.get(one));
        }
        databaseAway = true;
        assertThat(read(store(1 << 20), one, 5_000)).isEqualTo(inDatabase.get(one));
        assertThat(fetches).hasValue(1);
    }

    @Test
    void open_manyThreadsOfTwoProcesses_readTheDatabaseOnce() throws Exception {
        List<Sha256> names = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            names.add(segment(i, 10_000));
        }
        List<SegmentStore> processes = List.of(store(1 << 20), store(1 << 20));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Callable<byte[]>> reads = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                SegmentStore process = processes.get(i % 2);
                Sha256 name = names.get(i / 20);
                reads.add(() -> read(process, name, 10_000));
            }
            List<Future<byte[]>> all = threads.invokeAll(reads);
            for (int i = 0; i < all.size(); i++) {
                assertThat(all.get(i).get()).isEqualTo(inDatabase.get(names.get(i / 20)));
            }
        }
        assertThat(fetches).hasValue(50);
    }

    @Test
    void open_fileDamagedCutOrMissing_isFetchedAgain() throws Exception {
        Sha256 one = segment(1, 5_000);
        read(store(1 << 20), one, 5_000);
        byte[] damaged = Files.readAllBytes(file(one));
        damaged[4_999] ^= 1;
        int expected = 1;
        for (byte[] bad : List.of(damaged, new byte[5_000], new byte[0], new byte[6_000])) {
            Files.write(file(one), bad);
            assertThat(read(store(1 << 20), one, 5_000)).isEqualTo(inDatabase.get(one));
            assertThat(fetches).hasValue(++expected);
            assertThat(Files.readAllBytes(file(one))).isEqualTo(inDatabase.get(one));
        }
        SegmentStore running = store(1 << 20);
        read(running, one, 5_000);
        Files.delete(file(one));
        assertThat(read(running, one, 5_000)).isEqualTo(inDatabase.get(one));
        assertThat(fetches).hasValue(++expected);
    }

    @Test
    void open_notThere_saysWhy() throws Exception {
        SegmentStore store = store(1 << 20);
        assertThatThrownBy(() -> store.open(Sha256.of(new byte[1]), 1)).isInstanceOfSatisfying(Fault.class,
                f -> assertThat(f.kind()).isEqualTo(FaultKind.REVISION_GONE));
        databaseAway = true;
        assertThatThrownBy(() -> store.open(Sha256.of(new byte[1]), 1)).isInstanceOfSatisfying(Fault.class,
                f -> assertThat(f.kind()).isEqualTo(FaultKind.UNAVAILABLE));
    }

    @Test
    void open_databaseHasOtherBytes_isRefused() throws Exception {
        Sha256 one = segment(1, 100);
        inDatabase.put(one, new byte[100]);
        SegmentStore store = store(1 << 20);
        assertThatThrownBy(() -> store.open(one, 100)).isInstanceOfSatisfying(Fault.class,
                f -> assertThat(f.kind()).isEqualTo(FaultKind.INTERNAL));
        assertThat(file(one)).doesNotExist();
    }

    @Test
    void open_diskRefuses_servesFromMemory() throws Exception {
        Sha256 one = segment(1, 5_000);
        SegmentStore store = store(1 << 20);
        // A file where the folder should be: writing fails as on a full disk.
        Files.createFile(file(one).getParent());
        for (int i = 0; i < 2; i++) {
            try (StoredSegment segment = store.open(one, 5_000)) {
                assertThat(segment.isFile()).isFalse();
            }
            assertThat(read(store, one, 5_000)).isEqualTo(inDatabase.get(one));
        }
    }

    @Test
    void open_beyondItsBound_evictsTheLeastRecentlyUsedThatNoHeadNeeds() throws Exception {
        Sha256 needed = segment(0, 10_000);
        heads.set(head(needed, 10_000));
        SegmentStore store = store(100_000);
        read(store, needed, 10_000);
        Sha256 used = segment(1, 10_000);
        read(store, used, 10_000);
        for (int i = 2; i < 40; i++) {
            now.set(now.get().plus(Duration.ofMinutes(6)));
            read(store, segment(i, 10_000), 10_000);
            read(store, used, 10_000);
            long kept = new SegmentFiles(dataDir.resolve("segments")).list(now.get()).stream()
                    .mapToLong(SegmentFiles.Kept::bytes).sum();
            assertThat(kept).isLessThanOrEqualTo(100_000);
            assertThat(file(needed)).exists();
            assertThat(file(used)).exists();
        }
        assertThat(store.usedBytes()).isLessThanOrEqualTo(100_000);
    }

    @Test
    void open_headsAloneFillTheBound_servesTheRestFromMemory() throws Exception {
        Sha256 needed = segment(0, 90_000);
        heads.set(head(needed, 90_000));
        SegmentStore store = store(100_000);
        read(store, needed, 90_000);
        Sha256 other = segment(1, 20_000);
        assertThat(read(store, other, 20_000)).isEqualTo(inDatabase.get(other));
        assertThat(file(other)).doesNotExist();
        assertThat(file(needed)).exists();
    }

    @Test
    void start_headsNotLoaded_evictsNothing() throws Exception {
        // A process that started swept before it knew what its heads needed.
        Sha256 needed = segment(0, 60_000);
        Sha256 other = segment(1, 35_000);
        SegmentStore before = store(100_000);
        read(before, needed, 60_000);
        now.set(now.get().plusSeconds(1));
        read(before, other, 35_000);
        SegmentStore store = store(100_000);
        store.sweep();
        assertThat(store.usedBytes()).isEqualTo(95_000);
        assertThat(file(needed)).exists();
        assertThat(file(other)).exists();
        heads.set(head(needed, 60_000));
        store.sweep();
        assertThat(file(needed)).exists();
        assertThat(file(other)).doesNotExist();
    }

    @Test
    void sweep_evictedByAnotherProcess_isCheckedAgainWhenItComesBack() throws Exception {
        Sha256 one = segment(1, 5_000);
        SegmentStore store = store(1 << 20);
        read(store, one, 5_000);
        Files.delete(file(one));
        store.sweep();
        Files.write(file(one), new byte[5_000]);
        assertThat(read(store, one, 5_000)).isEqualTo(inDatabase.get(one));
    }

    @Test
    void read_evictedWhileOpen_goesOn() throws Exception {
        Sha256 one = segment(1, 5_000);
        SegmentStore store = store(1 << 20);
        read(store, one, 5_000);
        try (StoredSegment segment = store.open(one, 5_000)) {
            Files.delete(file(one));
            ByteBuffer all = ByteBuffer.allocate(5_000);
            segment.read(all, 0);
            assertThat(all.array()).isEqualTo(inDatabase.get(one));
        }
    }

    private static Heads head(Sha256 segment, long bytes) {
        return head(List.of(new SegmentStore.Wanted(segment, bytes)));
    }

    private static Heads head(List<SegmentStore.Wanted> segments) {
        TreeMap<Long, RevisionInfo> revisions = new TreeMap<>();
        Sha256 first = segments.getFirst().sha256();
        long bytes = segments.stream().mapToLong(SegmentStore.Wanted::bytes).sum();
        revisions.put(1L, new RevisionInfo(1, 1, bytes, 1, first, 1, 0, false, Instant.EPOCH, "test"));
        List<ManifestEntry> entries = new ArrayList<>();
        for (SegmentStore.Wanted one : segments) {
            byte[] key = {(byte) (entries.size() >> 8), (byte) entries.size()};
            entries.add(new ManifestEntry(new SegmentRef(key, one.sha256(), one.sha256(), one.bytes(), 1, 1), 1,
                    ManifestEntry.LIVE));
        }
        SetState set = new SetState(1, "one", 1, 1, revisions, entries, new HashMap<>());
        return new Heads(new UUID(1, 1), 1, 1, Map.of("one", set));
    }

    /** Forty segments of one stripe, about 4 MB. */
    private List<SegmentStore.Wanted> stripe() {
        List<SegmentStore.Wanted> wanted = new ArrayList<>();
        for (int seed = 0; wanted.size() < 40; seed++) {
            byte[] content = new byte[100_000];
            new Random(seed).nextBytes(content);
            SegmentStore.Wanted one = new SegmentStore.Wanted(Sha256.of(content), content.length);
            if (one.stripe() == 7) {
                inDatabase.put(one.sha256(), content);
                wanted.add(one);
            }
        }
        return wanted;
    }

    @Test
    void open_oneOfAHead_bringsTheOthersOfItsStripe() throws Exception {
        List<SegmentStore.Wanted> wanted = stripe();
        heads.set(head(Stream.concat(wanted.stream(), Stream.of(new SegmentStore.Wanted(segment(-1, 5_000), 5_000)))
                .toList()));
        SegmentStore one = store(10 << 20);
        Sha256 asked = wanted.get(30).sha256();
        assertThat(read(one, asked, 100_000)).isEqualTo(inDatabase.get(asked));
        assertThat(one.fetched()).as("two megabytes").isEqualTo(20);
        SegmentStore other = store(10 << 20);
        for (SegmentStore.Wanted each : wanted) {
            assertThat(read(other, each.sha256(), 100_000)).isEqualTo(inDatabase.get(each.sha256()));
        }
        assertThat(one.fetched() + other.fetched()).isEqualTo(40);
        assertThat(fetches).hasValue(40);
    }

    @Test
    void open_oneThatNoHeadHas_isFetchedAlone() throws Exception {
        List<SegmentStore.Wanted> wanted = stripe();
        heads.set(head(wanted.subList(1, 40)));
        SegmentStore store = store(10 << 20);
        assertThat(read(store, wanted.getFirst().sha256(), 100_000))
                .isEqualTo(inDatabase.get(wanted.getFirst().sha256()));
        assertThat(fetches).hasValue(1);
    }

    @Test
    void open_oneOfAHeadWithoutRoomForTheOthers_fetchesItAlone() throws Exception {
        List<SegmentStore.Wanted> wanted = stripe();
        heads.set(head(wanted));
        SegmentStore store = store(150_000);
        for (SegmentStore.Wanted each : wanted) {
            assertThat(read(store, each.sha256(), 100_000)).isEqualTo(inDatabase.get(each.sha256()));
        }
        assertThat(store.usedBytes()).isEqualTo(100_000);
        assertThat(fetches).hasValue(40);
    }

    @Test
    void open_diskRefusesTheOthersToo_fetchesOneAtATimeFromThenOn() throws Exception {
        List<SegmentStore.Wanted> wanted = stripe();
        heads.set(head(wanted));
        SegmentStore store = store(10 << 20);
        Files.createFile(file(wanted.getFirst().sha256()).getParent());
        for (SegmentStore.Wanted each : wanted) {
            assertThat(read(store, each.sha256(), 100_000)).isEqualTo(inDatabase.get(each.sha256()));
        }
        assertThat(fetches).as("twenty once in vain, then each when it is asked for").hasValue(60);
    }

    @Test
    void open_anotherOfItsStripeIsDamagedInTheDatabase_isReadAllTheSame() throws Exception {
        List<SegmentStore.Wanted> wanted = stripe();
        heads.set(head(wanted));
        inDatabase.put(wanted.get(1).sha256(), new byte[100_000]);
        SegmentStore store = store(10 << 20);
        for (int i : new int[]{0, 2, 39}) {
            Sha256 asked = wanted.get(i).sha256();
            assertThat(read(store, asked, 100_000)).isEqualTo(inDatabase.get(asked));
        }
        assertThatThrownBy(() -> store.open(wanted.get(1).sha256(), 100_000)).isInstanceOfSatisfying(Fault.class,
                fault -> assertThat(fault.kind()).isEqualTo(FaultKind.INTERNAL));
    }

    @Test
    void bring_manyOfOneStripe_asksForMegabytesAtATime_andOnceForAllProcesses() throws Exception {
        List<Integer> asked = new CopyOnWriteArrayList<>();
        SegmentSource source = new SegmentSource() {
            @Override
            public Optional<byte[]> fetch(Sha256 sha256) {
                throw new AssertionError("one by one");
            }

            @Override
            public Map<Sha256, byte[]> fetchAll(List<Sha256> names) {
                asked.add(names.size());
                return names.stream().filter(inDatabase::containsKey)
                        .collect(Collectors.toMap(name -> name, inDatabase::get));
            }
        };
        List<SegmentStore.Wanted> wanted = stripe();
        inDatabase.remove(wanted.get(3).sha256());
        SegmentStore one = new SegmentStore(dataDir, 10 << 20, source, heads::get, now::get);
        SegmentStore other = new SegmentStore(dataDir, 10 << 20, source, heads::get, now::get);
        assertThat(one.bring(wanted)).isTrue();
        assertThat(asked).containsExactly(20, 20);
        assertThat(one.fetched()).as("those that the database has").isEqualTo(39);
        assertThat(read(other, wanted.get(9).sha256(), 100_000)).isEqualTo(inDatabase.get(wanted.get(9).sha256()));
        assertThat(other.bring(wanted)).isTrue();
        assertThat(asked).as("the one that is missing is asked for again").containsExactly(20, 20, 1);
        assertThat(other.fetched()).isZero();
    }

    @Test
    void bring_moreThanThereIsRoomFor_bringsWhatThereIsRoomFor() throws Exception {
        SegmentStore store = store(1_050_000);
        assertThat(store.bring(stripe())).isFalse();
        assertThat(store.usedBytes()).isEqualTo(1_000_000);
    }

    @Test
    void bring_databaseHasOtherBytesOrIsAway_isRefused() throws Exception {
        List<SegmentStore.Wanted> wanted = stripe();
        inDatabase.put(wanted.getFirst().sha256(), new byte[100_000]);
        SegmentStore store = store(10 << 20);
        assertThatThrownBy(() -> store.bring(wanted)).isInstanceOfSatisfying(Fault.class,
                fault -> assertThat(fault.kind()).isEqualTo(FaultKind.INTERNAL));
        databaseAway = true;
        assertThatThrownBy(() -> store.bring(wanted)).isInstanceOfSatisfying(Fault.class,
                fault -> assertThat(fault.kind()).isEqualTo(FaultKind.UNAVAILABLE));
    }
}
