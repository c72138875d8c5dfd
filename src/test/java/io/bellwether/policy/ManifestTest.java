package io.bellwether.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ManifestTest {
    @Test
    void of_segments_sumsThemAndHashesTheirRawHashes() {
        Manifest manifest = Manifest.of(List.of(segment("a", 3), segment("m", 4), segment("é", 5)));
        MessageDigest expected = Sha256.newDigest();
        expected.update(raw("a").bytes());
        expected.update(raw("m").bytes());
        expected.update(raw("é").bytes());
        assertThat(manifest.contentSha256()).isEqualTo(Sha256.wrap(expected.digest()));
        assertThat(manifest.policies()).isEqualTo(12);
        assertThat(manifest.bytes()).isEqualTo(120);
        assertThat(manifest.rawBytes()).isEqualTo(1200);
    }

    @Test
    void of_nothing_isTheHashOfNothing() {
        Manifest manifest = Manifest.of(List.of());
        assertThat(manifest.contentSha256()).isEqualTo(Sha256.of(new byte[0]));
        assertThat(manifest.indexOf(key("a"))).isEqualTo(-1);
    }

    @Test
    void of_segmentsOutOfOrder_isRefused() {
        assertThatThrownBy(() -> Manifest.of(List.of(segment("b", 1), segment("a", 1))))
                .hasMessageContaining("out of key order");
        assertThatThrownBy(() -> Manifest.of(List.of(segment("a", 1), segment("a", 1))))
                .hasMessageContaining("out of key order");
        // As signed bytes é (0xc3) would sort before z.
        assertThatThrownBy(() -> Manifest.of(List.of(segment("é", 1), segment("z", 1))))
                .hasMessageContaining("out of key order");
    }

    @Test
    void of_aListThatChangesLater_keepsItsOwn() {
        List<SegmentRef> segments = new ArrayList<>(List.of(segment("a", 1)));
        Manifest manifest = Manifest.of(segments);
        segments.clear();
        assertThat(manifest.segments()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"A,-1", "b,0", "bb,0", "lzz,0", "m,1", "n,1", "zz,1", "é,2", "ê,2", "𝄞,2"})
    void indexOf_aKey_isTheSegmentThatWouldHoldIt(String key, int index) {
        Manifest manifest = Manifest.of(List.of(segment("b", 1), segment("m", 1), segment("é", 1)));
        assertThat(manifest.indexOf(key(key))).isEqualTo(index);
    }

    private static SegmentRef segment(String firstKey, int policies) {
        return new SegmentRef(key(firstKey), Sha256.of(key("stored " + firstKey)), raw(firstKey), policies * 10L,
                policies * 100L, policies);
    }

    private static Sha256 raw(String firstKey) {
        return Sha256.of(key("raw " + firstKey));
    }

    private static byte[] key(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
