package io.bellwether.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Sha256Test {
    /** FIPS 180-4, the digest of "abc". */
    private static final String ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    @Test
    void of_aKnownText_isTheKnownDigest() {
        Sha256 digest = Sha256.of("abc".getBytes(StandardCharsets.US_ASCII));
        assertThat(digest.hex()).isEqualTo(ABC);
        assertThat(digest).isEqualTo(Sha256.parse(ABC)).isEqualTo(Sha256.wrap(digest.bytes()))
                .hasSameHashCodeAs(Sha256.parse(ABC)).hasToString(ABC);
    }

    @Test
    void wrapAndBytes_copy_soThatNobodyChangesTheValue() {
        byte[] bytes = Sha256.parse(ABC).bytes();
        Sha256 digest = Sha256.wrap(bytes);
        bytes[0]++;
        digest.bytes()[1]++;
        assertThat(digest.hex()).isEqualTo(ABC);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "ba", "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD",
            "ga7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad0"})
    void parse_anotherForm_isRefused(String text) {
        assertThatThrownBy(() -> Sha256.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void wrap_anotherLength_isRefused() {
        assertThatThrownBy(() -> Sha256.wrap(new byte[31])).hasMessageContaining("31");
    }

    @Test
    void compareTo_comparesUnsigned() {
        assertThat(Sha256.parse("ff" + "00".repeat(31))).isGreaterThan(Sha256.parse("7f" + "00".repeat(31)));
    }
}
