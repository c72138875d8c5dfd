package io.bellwether.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;

class HeapShareTest {
    @Test
    void take_moreThanIsFree_isOverloadedUntilItIsGivenBack() throws Exception {
        HeapShare share = new HeapShare(1 << 20);
        HeapShare.Taken most = share.take(1_000_000);
        assertThatThrownBy(() -> share.take(100_000)).isInstanceOfSatisfying(Fault.class,
                f -> assertThat(f.kind()).isEqualTo(FaultKind.OVERLOADED));
        most.close();
        for (long bytes : new long[]{0, 1, 1 << 20, Long.MAX_VALUE}) {
            HeapShare.Taken taken = share.take(bytes);
            taken.close();
        }
    }
}
