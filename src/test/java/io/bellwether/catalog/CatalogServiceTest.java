package io.bellwether.catalog;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import io.bellwether.database.Database;
import io.bellwether.policy.Manifest;
import io.bellwether.settings.Settings;
import io.bellwether.testing.TestPostgres;
import io.bellwether.testing.TestProxy;
import io.bellwether.testing.TestPublisher;
import io.bellwether.testing.TestSets;

/** A catalog sees what the database has: publishes, retention, deletes and new epochs, and tells who listens. */
class CatalogServiceTest extends CatalogFixture {
    private static Map<String, String> changed(Map<String, String> content, Random random) {
        Map<String, String> next = new HashMap<>(content);
        for (int i = random.nextInt(1, 8); i > 0; i--) {
            String key = "key-" + random.nextInt(200);
            if (random.nextInt(3) == 0) {
                next.remove(key);
            } else {
                next.put(key, "{\"n\": " + random.nextInt() + "}");
            }
        }
        return next;
    }

    @Test
    void look_randomPublishesRetentionAndDeletes_isAlwaysWhatTheDatabaseHas() throws Exception {
        Random random = new Random(7);
        CatalogService catalog = started(database);
        Map<String, TestPublisher> sets = new TreeMap<>();
        Map<String, NavigableMap<Long, Manifest>> expected = new HashMap<>();
        Map<String, Long> contents = new HashMap<>();
        for (int step = 0; step < 160; step++) {
            String name = "set-" + random.nextInt(3);
            NavigableMap<Long, Manifest> kept = expected.computeIfAbsent(name, ignored -> new TreeMap<>());
            TestPublisher set = sets.get(name);
            if (set == null) {
                set = publisher(name);
                sets.put(name, set);
            }
            int what = random.nextInt(20);
            if (what == 0) {
                set.delete();
                sets.remove(name);
                expected.remove(name);
                contents.remove(name);
            } else if (what < 3 && kept.size() > 2) {
                long oldest = new ArrayList<>(kept.keySet()).get(random.nextInt(kept.size()));
                set.retainFrom(oldest);
                kept.headMap(oldest).clear();
            } else if (what < 6 && kept.size() > 1) {
                long oldest = new ArrayList<>(kept.keySet()).get(random.nextInt(kept.size()));
                set.keepContentsFrom(oldest);
                contents.merge(name, oldest, Math::max);
            } else {
                set.publish(changed(set.content(), random), random.nextInt(5) > 0);
                kept.put(set.revision(), set.manifest());
            }
            // Now and then several changes are seen at once.
            if (random.nextInt(4) > 0) {
                CatalogService.View view = catalog.look();
                assertThat(view.stale()).isFalse();
                assertSame(view.heads(), expected, contents);
            }
        }
        assertSame(catalog.look().heads(), expected, contents);
        assertSame(started(database).heads(), expected, contents);
    }

    private static void assertSame(Heads heads, Map<String, NavigableMap<Long, Manifest>> expected,
            Map<String, Long> contents) {
        assertThat(heads.byName().keySet()).isEqualTo(expected.keySet());
        expected.forEach((name, revisions) -> {
            SetState set = heads.set(name).orElseThrow();
            assertThat(set.isPublished()).isEqualTo(!revisions.isEmpty());
            assertThat(set.revisions().stream().map(RevisionInfo::revision))
                    .containsExactlyElementsOf(revisions.keySet());
            revisions.forEach((number, manifest) -> {
                assertThat(set.revision(number).orElseThrow().contentSha256()).isEqualTo(manifest.contentSha256());
                assertThat(set.hasContents(number)).isEqualTo(number >= contents.getOrDefault(name, 1L));
                if (!set.hasContents(number)) {
                    assertThat(set.manifest(number)).isEmpty();
                    return;
                }
                assertThat(set.manifest(number)).contains(manifest);
                manifest.segments().forEach(s -> assertThat(set.segmentBytes(s.sha256())).isEqualTo(s.bytes()));
            });
            if (!revisions.isEmpty()) {
                assertThat(set.manifest()).isEqualTo(revisions.lastEntry().getValue());
                assertThat(set.revision()).isEqualTo(revisions.lastKey());
            }
        });
    }

    @Test
    void look_afterAPublishElsewhere_alwaysSeesIt() throws Exception {
        // LISTEN is cut for this process: no notification is to be relied on.
        Settings.Database own = TestPostgres.freshDatabase();
        Database elsewhere = TestPostgres.open(own);
        toClose.add(() -> elsewhere.stop(Duration.ZERO));
        TestPublisher set = new TestPublisher(elsewhere,
                TestSets.insert(elsewhere, "one", TestSets.definition(URI.create("http://127.0.0.1:9/feed"))), 3);
        set.publish(Map.of("a", "0"));
        Database here = TestPostgres.open(own);
        toClose.add(() -> here.stop(Duration.ZERO));
        CatalogService catalog = started(here);
        AtomicLong published = new AtomicLong(1);
        AtomicBoolean done = new AtomicBoolean();
        AtomicLong looks = new AtomicLong();
        AtomicLong stale = new AtomicLong();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Boolean>> readers = new ArrayList<>();
            Callable<Boolean> reader = () -> {
                long before = 0;
                while (!done.get()) {
                    long known = published.get();
                    CatalogService.View view = catalog.look();
                    long seen = view.heads().set("one").orElseThrow().revision();
                    looks.incrementAndGet();
                    if (view.stale()) {
                        stale.incrementAndGet();
                    } else if (seen < known || seen < before) {
                        throw new AssertionError("saw " + seen + " after " + known + " was published");
                    }
                    before = seen;
                }
                return true;
            };
            for (int i = 0; i < 50; i++) {
                readers.add(threads.submit(reader));
            }
            for (int i = 0; i < 100; i++) {
                TestPostgres.execute(databaseName(own), "select pg_terminate_backend(pid) from pg_stat_activity"
                        + " where application_name = 'bellwether-listen' and datname = current_database()");
                set.publish(Map.of("a", Integer.toString(i + 1)));
                published.set(set.revision());
            }
            done.set(true);
            for (Future<Boolean> one : readers) {
                assertThat(one.get()).isTrue();
            }
        }
        assertThat(looks.get()).isGreaterThan(1_000);
        assertThat(stale.get()).isLessThan(looks.get() / 2);
    }

    private static String databaseName(Settings.Database settings) {
        return settings.url().substring(settings.url().lastIndexOf('/') + 1);
    }

    @Test
    void look_databaseAway_answersFromMemoryAtOnceAndCatchesUp() throws Exception {
        TestPublisher set = publisher("one");
        set.publish(Map.of("a", "1"));
        try (TestProxy proxy = new TestProxy(TestPostgres.port())) {
            Database through = TestPostgres.open(TestPostgres.through(proxy.port(), settings));
            toClose.add(() -> through.stop(Duration.ZERO));
            CatalogService catalog = started(through);
            assertThat(catalog.look().stale()).isFalse();
            for (boolean cut : new boolean[]{true, false}) {
                if (cut) {
                    proxy.cut();
                } else {
                    proxy.stall();
                }
                eventually("it notices", Duration.ofSeconds(5), () -> catalog.look().stale());
                set.publish(changed(set.content(), new Random(1)));
                long begun = System.nanoTime();
                for (int i = 0; i < 20; i++) {
                    CatalogService.View view = catalog.look();
                    assertThat(view.stale()).isTrue();
                    assertThat(view.heads().set("one").orElseThrow().revision()).isEqualTo(set.revision() - 1);
                }
                assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(2));
                proxy.pass();
                long revision = set.revision();
                eventually("it catches up", Duration.ofSeconds(2), () -> {
                    CatalogService.View view = catalog.look();
                    return !view.stale() && view.heads().set("one").orElseThrow().revision() == revision;
                });
            }
        }
    }

    @Test
    void epoch_renewed_loadsEverythingAgain() throws Exception {
        TestPublisher set = publisher("one");
        set.publish(Map.of("a", "1"));
        CatalogService catalog = started(database);
        Heads before = catalog.look().heads();
        TestPostgres.execute(databaseName(settings),
                "update instance set epoch = gen_random_uuid(), heads_version = 1");
        Heads after = catalog.look().heads();
        assertThat(after.epoch()).isNotEqualTo(before.epoch());
        assertThat(after.set("one")).isPresent().isNotEqualTo(before.set("one"));
    }

    @Test
    void epoch_databaseExchangedBehindTheAddress_isRenewedOnTheNextConnection() throws Exception {
        // The fingerprint was compared once, at the start of a process.
        publisher("one").publish(Map.of("a", "1"));
        CatalogService catalog = started(database);
        Heads before = catalog.look().heads();
        TestPostgres.execute(databaseName(settings), "update instance set fingerprint = 'another'");
        TestPostgres.execute(databaseName(settings), "select pg_terminate_backend(pid) from pg_stat_activity"
                + " where application_name = 'bellwether-look' and datname = current_database()");
        eventually("a new epoch", Duration.ofSeconds(5), () -> !catalog.heads().epoch().equals(before.epoch()));
        assertThat(catalog.look().heads().set("one").orElseThrow().revision()).isEqualTo(1);
    }

    @Test
    void epoch_databasePutBackInPlace_isRenewed() throws Exception {
        TestPublisher set = publisher("one");
        set.publish(Map.of("a", "1"));
        set.publish(Map.of("b", "1"));
        CatalogService catalog = started(database);
        Heads before = catalog.look().heads();
        putBack("heads_version = heads_version - 2");
        Heads after = catalog.look().heads();
        assertThat(after.epoch()).isNotEqualTo(before.epoch());
        assertThat(after.version()).isGreaterThan(before.version());
        assertThat(after.set("one").orElseThrow().revision()).isEqualTo(1);
        assertThat(started(database).look().heads().epoch()).isEqualTo(after.epoch());
    }

    @Test
    void epoch_putBackAndPublishedSince_isRenewed() throws Exception {
        // The counter has caught up with what is held; the revision tells.
        TestPublisher set = publisher("one");
        set.publish(Map.of("a", "1"));
        set.publish(Map.of("b", "1"));
        CatalogService catalog = started(database);
        Heads before = catalog.look().heads();
        putBack("heads_version = heads_version + 1");
        Heads after = catalog.look().heads();
        assertThat(after.epoch()).isNotEqualTo(before.epoch());
        assertThat(after.set("one").orElseThrow().revision()).isEqualTo(1);
    }

    @Test
    void epoch_putBackWhileNoProcessRan_isRenewedByWhatTheHostKept() throws Exception {
        TestPublisher set = publisher("one");
        set.publish(Map.of("a", "1"));
        set.publish(Map.of("b", "1"));
        CatalogService first = started(database);
        Heads before = first.look().heads();
        eventually("the heads are kept", Duration.ofSeconds(10), () -> Files.exists(dataDir.resolve("heads")));
        first.stop(Duration.ofSeconds(2));
        putBack("heads_version = heads_version - 2");
        assertThat(started(database).look().heads().epoch()).isNotEqualTo(before.epoch());
    }

    /** What is left of two revisions of a set when the second is taken back. */
    private void putBack(String counters) {
        TestPostgres.execute(databaseName(settings), "update policy_set set revision = 1, version = 1;"
                + " delete from delta_entry where revision = 2; delete from manifest_entry where added_in = 2;"
                + " update manifest_entry set removed_in = null where removed_in = 2;"
                + " delete from revision where revision = 2; update instance set " + counters);
    }

    @Test
    void notifications_ofJobsAndHeads_reachTheListeners() throws Exception {
        TestPublisher set = publisher("one");
        CatalogService catalog = started(database);
        AtomicInteger jobs = new AtomicInteger();
        AtomicLong revision = new AtomicLong();
        catalog.onJobs(jobs::incrementAndGet);
        catalog.onHeads(heads -> revision.set(heads.set("one").orElseThrow().revision()));
        TestPostgres.execute(databaseName(settings), "notify bellwether, 'jobs'");
        eventually("jobs", Duration.ofSeconds(5), () -> jobs.get() > 0);
        set.publish(Map.of("a", "1"));
        eventually("heads", Duration.ofSeconds(5), () -> revision.get() == 1);
        assertThat(meters.scrape()).contains("bellwether_set_revision{set=\"one\"} 1");
    }
}
