package io.bellwether.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

final class ProcessNameTest {
    /** Containers are all pid 1, and cloned hosts share their name: host and pid are the same here, too. */
    @Test
    void create_sameHostAndPid_isAnother() {
        assertThat(Stream.generate(ProcessName::create).limit(100)).doesNotHaveDuplicates()
                .allMatch(name -> name.matches("[a-z0-9.-]{1,40}-" + ProcessHandle.current().pid() + "-[0-9a-f]{8}"));
    }
}
