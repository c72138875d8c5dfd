package io.bellwether.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CutRuleTest {
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4, 8, 9, 12})
    void beginsSegment_forAnyKey_isTheHashModuloAPowerOfTwo(int bits) {
        // The rule is part of what processes of different versions must agree on: stated here a second time.
        CutRule rule = new CutRule(bits);
        for (int i = 0; i < 5_000; i++) {
            byte[] key = key(i);
            BigInteger hash = new BigInteger(1, Sha256.of(key).bytes());
            assertThat(rule.beginsSegment(key))
                    .isEqualTo(hash.mod(BigInteger.TWO.pow(bits)).equals(BigInteger.ZERO));
        }
    }

    @Test
    void beginsSegment_overManyKeys_cutsAboutOneInTwoToTheBits() {
        CutRule rule = new CutRule(6);
        int cuts = 0;
        for (int i = 0; i < 64_000; i++) {
            cuts += rule.beginsSegment(key(i)) ? 1 : 0;
        }
        assertThat(cuts).isCloseTo(1_000, within(150));
    }

    @Test
    void beginsSegment_withThirtyTwoBits_asksForAllOfThem() {
        CutRule rule = new CutRule(32);
        for (int i = 0; i < 10_000; i++) {
            assertThat(rule.beginsSegment(key(i))).isFalse();
        }
    }

    @Test
    void constructor_outOfRange_isRefused() {
        assertThatThrownBy(() -> new CutRule(-1)).hasMessageContaining("-1");
        assertThatThrownBy(() -> new CutRule(33)).hasMessageContaining("33");
    }

    @ParameterizedTest
    @ValueSource(ints = {40, 400, 800, 5_000, 100_000, 1_000_000, 16 << 20})
    void bitsFor_anAverageSize_bringsSegmentsNearTheTarget(int average) {
        int bits = CutRule.bitsFor(10_000, 10_000L * average);
        double segment = Math.pow(2, bits) * average;
        if (average >= Limits.SEGMENT_RAW_TARGET_BYTES) {
            assertThat(bits).isZero();
        } else {
            assertThat(segment).isBetween(Limits.SEGMENT_RAW_TARGET_BYTES / 1.5, Limits.SEGMENT_RAW_TARGET_BYTES * 1.5);
        }
    }

    @Test
    void bitsFor_nothing_isUsable() {
        assertThat(CutRule.bitsFor(0, 0)).isBetween(0, 32);
    }

    private static byte[] key(int i) {
        return ("key/" + i).getBytes(StandardCharsets.UTF_8);
    }
}
