package io.bellwether.catalog;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;

import org.junit.jupiter.api.Test;

import io.bellwether.database.Database;
import io.bellwether.testing.TestPostgres;
import io.bellwether.testing.TestPublisher;

/** What a host keeps of the heads for the time when the database is away. */
class HeadsFileTest extends CatalogFixture {
    @Test
    void start_databaseAway_servesTheLastHeadsOfTheHost() throws Exception {
        TestPublisher set = publisher("one");
        set.publish(Map.of("a", "1", "b", "2"));
        set.publish(Map.of("a", "1", "b", "3"));
        CatalogService first = started(database);
        eventually("the heads are kept", Duration.ofSeconds(10), () -> Files.exists(dataDir.resolve("heads")));
        Heads held = first.heads();
        Database away = TestPostgres.open(TestPostgres.through(1, settings));
        toClose.add(() -> away.stop(Duration.ZERO));
        CatalogService second = started(away);
        assertThat(second.isLoaded()).isTrue();
        CatalogService.View view = second.look();
        assertThat(view.stale()).isTrue();
        SetState one = view.heads().set("one").orElseThrow();
        assertThat(one.manifest()).isEqualTo(set.manifest());
        assertThat(view.heads().epoch()).isEqualTo(held.epoch());
        assertThat(one.manifest(1)).isEqualTo(held.set("one").orElseThrow().manifest(1));
        assertThat(one.delta(2)).isEqualTo(held.set("one").orElseThrow().delta(2));
        assertThat(one.head()).isEqualTo(held.set("one").orElseThrow().head());
    }

    @Test
    void headsFile_damaged_isIgnored() throws Exception {
        TestPublisher set = publisher("one");
        set.publish(Map.of("a", "1", "b", "2"));
        // The running catalog keeps its heads too, whenever it likes.
        Path apart = dataDir.resolve("other");
        HeadsFile file = new HeadsFile(apart);
        file.write(started(database).heads());
        byte[] good = Files.readAllBytes(apart.resolve("heads"));
        for (int at = 0; at < good.length; at += 7) {
            byte[] bad = good.clone();
            bad[at] ^= 1;
            Files.write(apart.resolve("heads"), bad);
            assertThat(file.read()).as("byte %d", at).isNull();
            Files.write(apart.resolve("heads"), Arrays.copyOf(good, at));
            assertThat(file.read()).as("cut at %d", at).isNull();
        }
        Files.write(apart.resolve("heads"), good);
        assertThat(file.read()).isNotNull();
    }

    @Test
    void headsFile_ofAnOlderVersion_isLeftAsideButForItsCounter() throws Exception {
        TestPublisher set = publisher("one");
        set.publish(Map.of("a", "1", "b", "2"));
        Heads heads = started(database).heads();
        // The running catalog keeps its heads too, whenever it likes.
        Path apart = dataDir.resolve("other");
        HeadsFile file = new HeadsFile(apart);
        file.write(heads);
        byte[] older = Files.readAllBytes(apart.resolve("heads"));
        older[Long.BYTES - 1] = 1;
        Files.write(apart.resolve("heads"), older);
        assertThat(file.read()).isNull();
        assertThat(file.versionIn(heads.epoch())).isEqualTo(heads.version());
        file.write(heads);
        assertThat(file.read()).isNotNull();
    }

    @Test
    void headsFile_afterContentsWereGivenUp_holdsWhatIsLeft() throws Exception {
        TestPublisher set = publisher("one");
        for (int i = 0; i < 6; i++) {
            set.publish(Map.of("a", "" + i, "b", "2"));
        }
        CatalogService catalog = started(database);
        HeadsFile file = new HeadsFile(dataDir.resolve("other"));
        file.write(catalog.look().heads());
        long before = Files.size(dataDir.resolve("other/heads"));
        set.keepContentsFrom(5);
        file.write(catalog.look().heads());
        assertThat(Files.size(dataDir.resolve("other/heads"))).isLessThan(before);
        SetState read = Objects.requireNonNull(file.read()).set("one").orElseThrow();
        assertThat(read.oldestContents()).isEqualTo(5);
        assertThat(read.oldestRevision()).isEqualTo(1);
        assertThat(read.manifest(4)).isEmpty();
        assertThat(read.manifest(5)).isPresent();
        assertThat(read.delta(2)).isNotEmpty();
        assertThat(read.endedEntries()).isEqualTo(1);
    }
}
