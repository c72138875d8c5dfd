package io.bellwether.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

class ParentWatchTest {
    @Test
    void gone_runsWhenTheInputEndsAndNotBefore() throws Exception {
        PipedOutputStream owner = new PipedOutputStream();
        PipedInputStream input = new PipedInputStream(owner, 4);
        CountDownLatch gone = new CountDownLatch(1);
        ParentWatch.start(input, gone::countDown);
        // More than the pipe holds: once this is written, the watch has read some of it and goes on waiting.
        owner.write(new byte[64]);
        assertThat(gone.getCount()).isEqualTo(1);
        owner.close();
        assertThat(gone.await(10, TimeUnit.SECONDS)).isTrue();
    }
}
