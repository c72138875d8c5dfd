package io.bellwether.refresh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;

import io.bellwether.policy.CutRule;
import io.bellwether.policy.Manifest;
import io.bellwether.policy.SegmentRef;
import io.bellwether.policy.Sha256;

class SegmentBuilderTest {
    private static final byte[] GONE = {};

    /** Segments in memory, named by the hash of their lines. */
    private static final class Store implements SegmentBuilder.Segments {
        private final Map<Sha256, byte[]> lines = new HashMap<>();
        private List<SegmentRef> built = new ArrayList<>();
        private int read;

        @Override
        public byte[] lines(SegmentRef old) {
            read++;
            return Objects.requireNonNull(lines.get(old.sha256()));
        }

        @Override
        public Chunk begin(byte[] firstKey) {
            return new Chunk(firstKey, new byte[16]);
        }

        @Override
        public void keep(SegmentRef old) {
            built.add(old);
        }

        @Override
        public void build(Chunk chunk) {
            Sha256 name = chunk.digest();
            lines.put(name, chunk.copy());
            built.add(new SegmentRef(chunk.firstKey(), name, name, chunk.size(), chunk.size(), chunk.policies()));
        }

        List<SegmentRef> apply(List<SegmentRef> old, SortedMap<byte[], byte[]> changes, CutRule rule, boolean recut)
                throws Exception {
            built = new ArrayList<>();
            read = 0;
            SegmentBuilder builder = new SegmentBuilder(old, rule, recut, this);
            for (Map.Entry<byte[], byte[]> change : changes.entrySet()) {
                if (change.getValue() == GONE) {
                    builder.delete(change.getKey());
                } else {
                    builder.put(change.getKey(), change.getValue(), 0, change.getValue().length);
                }
            }
            builder.finish();
            // Checks the order of the segments as well.
            return Manifest.of(built).segments();
        }
    }

    private final Random random = new Random(42);
    private final Store store = new Store();

    @Test
    void apply_randomChangesOfRandomSets_equalsBuildingFromScratch() throws Exception {
        for (int round = 0; round < 300; round++) {
            CutRule rule = new CutRule(random.nextInt(6));
            List<byte[]> keys = keys(1 + random.nextInt(80));
            SortedMap<byte[], byte[]> content = sorted();
            List<SegmentRef> segments = List.of();
            for (int step = 0; step < 12; step++) {
                SortedMap<byte[], byte[]> changes = randomChanges(keys, content);
                merge(content, changes);
                segments = store.apply(segments, changes, rule, false);
                assertThat(segments).as("round %s step %s", round, step).isEqualTo(scratch(content, rule));
            }
            CutRule other = new CutRule(random.nextInt(6));
            SortedMap<byte[], byte[]> changes = randomChanges(keys, content);
            merge(content, changes);
            assertThat(store.apply(segments, changes, other, true)).isEqualTo(scratch(content, other));
        }
    }

    @Test
    void apply_everySubsetOfFewKeysToEveryOther_equalsBuildingFromScratch() throws Exception {
        // Six keys of which some cut and some do not: all moves from any subset to any other one.
        CutRule rule = new CutRule(1);
        List<byte[]> keys = List.of(utf8("a"), utf8("ab"), utf8("abc"), utf8("b"), utf8("é"), utf8("z\"\n"));
        assertThat(keys).anyMatch(rule::beginsSegment).anyMatch(key -> !rule.beginsSegment(key));
        for (int from = 0; from < 64; from++) {
            for (int to = 0; to < 64; to++) {
                SortedMap<byte[], byte[]> before = subset(keys, from);
                SortedMap<byte[], byte[]> changes = sorted();
                for (int i = 0; i < keys.size(); i++) {
                    boolean had = (from >> i & 1) == 1;
                    boolean has = (to >> i & 1) == 1;
                    if (had != has) {
                        changes.put(keys.get(i), has ? utf8("1") : GONE);
                    }
                }
                assertThat(store.apply(scratch(before, rule), changes, rule, false)).as("%s to %s", from, to)
                        .isEqualTo(scratch(subset(keys, to), rule));
            }
        }
    }

    @Test
    void apply_oneChangeInALargeSet_readsOneSegment() throws Exception {
        CutRule rule = new CutRule(5);
        SortedMap<byte[], byte[]> content = sorted();
        for (int i = 0; i < 5000; i++) {
            content.put(utf8("key-" + i), utf8("{\"n\":" + i + "}"));
        }
        List<SegmentRef> segments = scratch(content, rule);
        assertThat(segments).hasSizeBetween(80, 250);
        SortedMap<byte[], byte[]> change = sorted();
        byte[] inner = content.keySet().stream().filter(key -> !rule.beginsSegment(key)).skip(1234).findFirst()
                .orElseThrow();
        change.put(inner, utf8("2"));
        List<SegmentRef> after = store.apply(segments, change, rule, false);
        assertThat(store.read).isEqualTo(1);
        assertThat(after).hasSameSizeAs(segments);
        assertThat(after.stream().filter(segments::contains)).hasSize(segments.size() - 1);
        byte[] boundary = content.keySet().stream().skip(1).filter(rule::beginsSegment).skip(20).findFirst()
                .orElseThrow();
        change.clear();
        change.put(boundary, GONE);
        assertThat(store.apply(segments, change, rule, false)).hasSize(segments.size() - 1);
        assertThat(store.read).isEqualTo(2);
    }

    @Test
    void apply_keysBeyondAscii_areInTheOrderOfTheirBytes() throws Exception {
        // U+FF21 sorts before U+1F600 as UTF-8 and after it as UTF-16.
        SortedMap<byte[], byte[]> content = sorted();
        content.put(utf8("\ud83d\ude00"), utf8("1"));
        content.put(utf8("\uff21"), utf8("2"));
        content.put(utf8("z"), utf8("3"));
        List<SegmentRef> one = store.apply(List.of(), content, new CutRule(32), false);
        assertThat(one).hasSize(1);
        assertThat(new String(Objects.requireNonNull(store.lines.get(one.getFirst().sha256())), StandardCharsets.UTF_8))
                .isEqualTo("""
                        {"key":"z","body":3}
                        {"key":"\uff21","body":2}
                        {"key":"\ud83d\ude00","body":1}
                        """);
    }

    @Test
    void delete_ofAPolicyThatIsNotThere_isABug() {
        SegmentBuilder builder = new SegmentBuilder(List.of(), new CutRule(3), false, store);
        assertThatThrownBy(() -> builder.delete(utf8("a"))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void put_keysOutOfOrder_isABug() throws Exception {
        SegmentBuilder builder = new SegmentBuilder(List.of(), new CutRule(3), false, store);
        builder.put(utf8("b"), utf8("1"), 0, 1);
        assertThatThrownBy(() -> builder.put(utf8("b"), utf8("1"), 0, 1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> builder.put(utf8("a"), utf8("1"), 0, 1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void put_noKeyEverCuts_isRefusedBeforeMemoryIsShort() throws Exception {
        SegmentBuilder builder = new SegmentBuilder(List.of(), new CutRule(32), false, store);
        byte[] body = new byte[10 << 20];
        Arrays.fill(body, (byte) '1');
        assertThatThrownBy(() -> {
            for (int i = 10; i < 20; i++) {
                builder.put(utf8("k" + i), body, 0, body.length);
            }
        }).isInstanceOf(RefusedException.class).hasMessageContaining("larger than");
    }

    private List<SegmentRef> scratch(SortedMap<byte[], byte[]> content, CutRule rule) throws Exception {
        return store.apply(List.of(), content, rule, false);
    }

    private SortedMap<byte[], byte[]> randomChanges(List<byte[]> keys, SortedMap<byte[], byte[]> content) {
        SortedMap<byte[], byte[]> changes = sorted();
        int mode = random.nextInt(8);
        for (byte[] key : keys) {
            boolean there = content.containsKey(key);
            if (mode == 0 && there) {
                changes.put(key, GONE);
            } else if (mode != 0 && random.nextInt(8) < mode) {
                if (there && random.nextBoolean()) {
                    changes.put(key, GONE);
                } else {
                    changes.put(key, utf8("{\"v\":" + random.nextInt(1000) + "}"));
                }
            }
        }
        return changes;
    }

    /** Keys with common beginnings, each other's prefixes among them, from the whole range of Unicode. */
    private List<byte[]> keys(int count) {
        String alphabet = "ab\"\\\n\u0001\u007f\u00e9\u0130\ud83d\ude00";
        SortedMap<byte[], byte[]> keys = sorted();
        while (keys.size() < count) {
            StringBuilder key = new StringBuilder();
            for (int i = 0; i <= random.nextInt(5); i++) {
                int at = alphabet.offsetByCodePoints(0, random.nextInt(alphabet.codePointCount(0, alphabet.length())));
                key.appendCodePoint(alphabet.codePointAt(at));
            }
            keys.put(utf8(key.toString()), GONE);
        }
        return List.copyOf(keys.keySet());
    }

    private static void merge(SortedMap<byte[], byte[]> content, SortedMap<byte[], byte[]> changes) {
        changes.forEach((key, body) -> {
            if (body == GONE) {
                content.remove(key);
            } else {
                content.put(key, body);
            }
        });
    }

    private static SortedMap<byte[], byte[]> subset(List<byte[]> keys, int bits) {
        SortedMap<byte[], byte[]> content = sorted();
        for (int i = 0; i < keys.size(); i++) {
            if ((bits >> i & 1) == 1) {
                content.put(keys.get(i), utf8("1"));
            }
        }
        return content;
    }

    private static SortedMap<byte[], byte[]> sorted() {
        return new TreeMap<>(Arrays::compareUnsigned);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
