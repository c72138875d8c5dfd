package io.bellwether.refresh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.bellwether.policy.Sha256;

class PolicyIndexTest {
    private final Random random = new Random(3);

    @ParameterizedTest
    @ValueSource(longs = {0, 100, 20_000})
    void offer_randomSetsAndFeeds_agreesWithAHashMap(long expected) {
        PolicyIndex index = new PolicyIndex(expected);
        Map<Integer, Integer> model = new HashMap<>();
        for (int key = 0; key < 20_000; key++) {
            if (random.nextBoolean()) {
                int body = random.nextInt(3);
                model.put(key, body);
                byte[] padded = new byte[40];
                System.arraycopy(hash("b" + body), 0, padded, 8, 32);
                index.load(hash("k" + key), padded, 8);
            }
        }
        Set<Integer> seen = new HashSet<>();
        for (int i = 0; i < 20_000; i++) {
            int key = random.nextInt(25_000);
            int body = random.nextInt(3);
            Integer had = model.get(key);
            PolicyIndex.Found right = !seen.add(key)
                    ? PolicyIndex.Found.AGAIN
                    : had == null
                            ? PolicyIndex.Found.NEW
                            : had == body ? PolicyIndex.Found.SAME : PolicyIndex.Found.CHANGED;
            assertThat(index.offer(hash("k" + key), hash("b" + body))).isEqualTo(right);
        }
        Set<Integer> all = new HashSet<>(model.keySet());
        all.addAll(seen);
        assertThat(index.size()).isEqualTo(all.size());
        Set<Integer> gone = new HashSet<>(model.keySet());
        gone.removeAll(seen);
        assertThat(index.unseen()).isEqualTo(gone.size());
        for (int key = 0; key < 25_000; key++) {
            assertThat(index.takeUnseen(hash("k" + key), 0)).isEqualTo(gone.contains(key));
        }
    }

    @Test
    void load_twice_isABug() {
        PolicyIndex index = new PolicyIndex(1);
        index.load(hash("a"), hash("b"), 0);
        assertThatThrownBy(() -> index.load(hash("a"), hash("b"), 0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void bytes_manyPolicies_areAtMost64EachHoweverTheyCame() {
        PolicyIndex grown = new PolicyIndex(0);
        PolicyIndex sized = new PolicyIndex(300_000);
        byte[] key = new byte[32];
        for (int i = 1; i <= 300_000; i++) {
            random.nextBytes(key);
            grown.offer(key, key);
            sized.load(key, key, 0);
            if (i % 10_000 == 0 && i >= 100_000) {
                assertThat((double) grown.bytes() / (double) i).isLessThan(64);
            }
        }
        assertThat((double) sized.bytes() / 300_000).isLessThan(54);
    }

    private static byte[] hash(String text) {
        byte[] hash = Sha256.of(text.getBytes(StandardCharsets.UTF_8)).bytes();
        return Arrays.copyOf(hash, hash.length);
    }
}
