package io.bellwether.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.SequenceInputStream;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class ReadAheadTest {
    /** Fails at its first read. */
    private static final class Failing extends InputStream {
        private final Throwable failure;

        Failing(Throwable failure) {
            this.failure = failure;
        }

        @Override
        public int read() throws IOException {
            if (failure instanceof Error e) {
                throw e;
            }
            throw (IOException) failure;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            return read();
        }
    }

    /** Hangs in its first read until its thread is interrupted. */
    private static final class Hanging extends InputStream {
        private final CountDownLatch reading = new CountDownLatch(1);
        private final CountDownLatch closed = new CountDownLatch(1);

        @Override
        public int read() throws IOException {
            reading.countDown();
            try {
                new CountDownLatch(1).await();
                throw new AssertionError("counted down by nobody");
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            return read();
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 131_071, 131_072, 131_073, 3_000_000})
    void read_ofAStreamOfAnyLength_bringsItsBytesInOrder(int length) throws Exception {
        byte[] bytes = random(length);
        try (ReadAhead ahead = new ReadAhead(new ByteArrayInputStream(bytes))) {
            assertThat(ahead.readAllBytes()).isEqualTo(bytes);
            assertThat(ahead.read()).as("at the end, again").isEqualTo(-1);
        }
    }

    @Test
    void read_inOddSteps_bringsTheBytesInOrder() throws Exception {
        byte[] bytes = random(700_000);
        byte[] got = new byte[bytes.length + 1];
        int length = 0;
        try (ReadAhead ahead = new ReadAhead(new ByteArrayInputStream(bytes))) {
            for (int step = 1, read = 0; read >= 0; step = step * 7 % 100_003) {
                length += read;
                read = ahead.read(got, length, Math.min(step, got.length - length));
            }
        }
        assertThat(Arrays.copyOf(got, length)).isEqualTo(bytes);
    }

    @Test
    void read_beforeAFailure_bringsWhatCameAndThenTheFailureEachTime() throws Exception {
        IOException failure = new IOException("broken off");
        byte[] bytes = random(200_000);
        try (ReadAhead ahead = new ReadAhead(
                new SequenceInputStream(new ByteArrayInputStream(bytes), new Failing(failure)))) {
            assertThat(ahead.readNBytes(bytes.length)).isEqualTo(bytes);
            assertThatThrownBy(ahead::read).isSameAs(failure);
            assertThatThrownBy(ahead::read).isSameAs(failure);
        }
    }

    @Test
    void read_afterAnError_throwsIt() throws Exception {
        Error failure = new OutOfMemoryError("provoked");
        try (ReadAhead ahead = new ReadAhead(new Failing(failure))) {
            assertThatThrownBy(ahead::read).isSameAs(failure);
        }
    }

    @Test
    void read_ofATrickle_bringsWhatThereIs() throws Exception {
        try (PipedOutputStream tap = new PipedOutputStream();
                ReadAhead ahead = new ReadAhead(new PipedInputStream(tap))) {
            byte[] got = new byte[100];
            tap.write(random(10));
            tap.flush();
            assertThat(ahead.read(got, 0, got.length)).isBetween(1, 10);
        }
    }

    @Test
    void read_whileInterrupted_isStopped() throws Exception {
        Hanging hanging = new Hanging();
        try (ReadAhead ahead = new ReadAhead(hanging)) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(ahead::read).isInstanceOfSatisfying(FeedException.class,
                    e -> assertThat(e.problem()).isEqualTo(FeedProblem.STOPPED));
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(hanging.closed.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void close_whileTheStreamHangs_endsItsThreadAndClosesIt() throws Exception {
        Hanging hanging = new Hanging();
        ReadAhead ahead = new ReadAhead(hanging);
        Thread reader = Thread.ofVirtual().start(() -> {
            try {
                ahead.read();
            } catch (IOException e) {
                // It was stopped.
            }
        });
        assertThat(hanging.reading.await(10, TimeUnit.SECONDS)).isTrue();
        reader.interrupt();
        reader.join();
        ahead.close();
        assertThat(hanging.closed.getCount()).as("closed by the time that close returns").isZero();
    }

    @Test
    void close_beforeTheFirstRead_closesTheStream() throws Exception {
        Hanging hanging = new Hanging();
        new ReadAhead(hanging).close();
        assertThat(hanging.closed.getCount()).isZero();
    }
}
