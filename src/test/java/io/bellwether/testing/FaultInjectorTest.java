package io.bellwether.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ServiceLoader;

import org.junit.jupiter.api.Test;

import io.bellwether.fault.FaultInjection;

class FaultInjectorTest {
    @Test
    void testBuild_hasTheInjector() {
        assertThat(ServiceLoader.load(FaultInjection.class)).hasSize(1).first().isInstanceOf(FaultInjector.class);
    }
}
