package io.bellwether.source;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

import org.jspecify.annotations.Nullable;

/**
 * Reads a stream on a thread of its own, a few buffers ahead of whoever reads here: receiving, hashing and decompressing a
 * feed go on while its policies are parsed and compared, on another core where there is one. Order, bytes and failures are
 * those of the stream behind it; what came before a failure is read before the failure is thrown.
 *
 * <p>One thread reads and closes here; the stream behind belongs to the thread here from the first read on.
 */
final class ReadAhead extends BlockInput {
    private static final int BUFFERS = 4;
    private static final int BUFFER_SIZE = 128 * 1024;
    private static final Duration LAST_READ = Duration.ofSeconds(2);

    /** What the thread hands over: bytes, or the end with the failure that it came by. */
    private sealed interface Portion {}

    private record Some(byte[] bytes, int length) implements Portion {}

    private record End(@Nullable Throwable failure) implements Portion {}

    private final InputStream behind;
    private final BlockingQueue<Portion> ready = new ArrayBlockingQueue<>(BUFFERS + 1);
    private final BlockingQueue<byte[]> free = new ArrayBlockingQueue<>(BUFFERS);
    private @Nullable Thread thread;
    private @Nullable Some present;
    private int taken;
    private @Nullable End end;

    ReadAhead(InputStream behind) {
        this.behind = behind;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        start();
        Some some = present;
        while (some == null) {
            End ended = end;
            if (ended != null) {
                return end(ended.failure());
            }
            switch (next()) {
                case Some bytesRead -> some = present = bytesRead;
                case End last -> end = last;
            }
        }
        int count = Math.min(length, some.length() - taken);
        System.arraycopy(some.bytes(), taken, bytes, offset, count);
        taken += count;
        if (taken == some.length()) {
            free.add(some.bytes());
            present = null;
            taken = 0;
        }
        return count;
    }

    private void start() {
        if (thread == null) {
            for (int i = 0; i < BUFFERS; i++) {
                free.add(new byte[BUFFER_SIZE]);
            }
            thread = Thread.ofPlatform().name("feed-read-ahead").daemon(true).start(this::readAll);
        }
    }

    private Portion next() throws FeedException {
        try {
            return ready.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FeedException(FeedProblem.STOPPED, "reading the feed was stopped", e);
        }
    }

    private static int end(@Nullable Throwable failure) throws IOException {
        switch (failure) {
            case null -> {
                return -1;
            }
            case IOException e -> throw e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IOException(failure);
        }
    }

    /** Runs on the thread; ends when the stream does, fails, or nobody reads any more. */
    private void readAll() {
        try (behind) {
            End last = null;
            while (last == null) {
                byte[] buffer = free.take();
                int filled = 0;
                try {
                    int read = behind.read(buffer, 0, buffer.length);
                    while (read >= 0) {
                        filled += read;
                        // Whoever waits gets what there is.
                        if (filled == buffer.length || ready.isEmpty()) {
                            break;
                        }
                        read = behind.read(buffer, filled, buffer.length - filled);
                    }
                    if (read < 0) {
                        last = new End(null);
                    }
                } catch (Throwable t) {
                    last = new End(t);
                }
                if (filled > 0) {
                    ready.put(new Some(buffer, filled));
                }
            }
            ready.put(last);
        } catch (InterruptedException e) {
            // Closed.
        } catch (IOException e) {
            // All was handed over.
        }
    }

    /** Ends the reading, and closes the stream behind; one that hangs in a read is closed when it comes back. */
    @Override
    public void close() throws IOException {
        Thread reading = thread;
        if (reading == null) {
            behind.close();
            return;
        }
        reading.interrupt();
        try {
            reading.join(LAST_READ);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
