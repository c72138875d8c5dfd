package io.bellwether.catalog;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * Locks between the processes of a host: lock files, given up by the operating system when their process dies. They save
 * work, nothing depends on them: who cannot get one in time goes on without. Thread safe.
 */
final class HostLocks {
    private static final Duration STEP = Duration.ofMillis(2);

    private final Path folder;

    HostLocks(Path folder) throws IOException {
        this.folder = Files.createDirectories(folder);
    }

    /** A lock that may be held. */
    interface Lock extends Closeable {
        @Override
        void close();
    }

    /**
     * Takes the lock of that name, or gives up.
     *
     * <p>Asks again and again rather than blocking in the operating system: a virtual thread would hold its carrier.
     */
    Lock lock(String name, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        FileChannel channel;
        try {
            channel = FileChannel.open(folder.resolve(name), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            // A disk that is full or read-only: everyone for himself.
            return () -> {};
        }
        try {
            while (tryLock(channel) == null && System.nanoTime() < end) {
                LockSupport.parkNanos(STEP.toNanos());
            }
        } catch (IOException e) {
            // A file system without locks.
            close(channel);
        }
        return () -> close(channel);
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    private static void close(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // Closing is what lets go; it cannot be done twice.
            return;
        }
    }
}
