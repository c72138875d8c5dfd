package io.bellwether.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FaultKindTest {
    @ParameterizedTest
    @EnumSource(FaultKind.class)
    void everyKind_looksTheSameEverywhere_withinTheAgreedRanges(FaultKind kind) {
        assertThat(kind.status()).isBetween(400, 599);
        assertThat(kind.problemType()).matches("[a-z]+(-[a-z]+)*");
        assertThat(kind.exitCode()).isIn(1, 2, 3);
        if (kind.deservesWarning()) {
            assertThat(kind.status()).as("only what the server is to blame for").isGreaterThanOrEqualTo(500);
        }
    }

    @Test
    void problemTypes_areDistinct() {
        assertThat(Arrays.stream(FaultKind.values()).map(FaultKind::problemType)).doesNotHaveDuplicates();
    }

    @Test
    void exitCodeOfAGuard_isThree() {
        assertThat(FaultKind.REFUSED_BY_GUARD.exitCode()).isEqualTo(3);
    }

    @Test
    void detail_withAndWithoutCause_isTheSentenceAlone() {
        assertThat(new Fault(FaultKind.NOT_FOUND, "set 'a' does not exist").detail())
                .isEqualTo("set 'a' does not exist");
        Fault caused = new Fault(FaultKind.UNAVAILABLE, "the database is away",
                new IllegalStateException("password=x"));
        assertThat(caused.detail()).isEqualTo("the database is away");
        assertThat(caused.kind()).isEqualTo(FaultKind.UNAVAILABLE);
    }
}
