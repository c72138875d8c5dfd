package io.bellwether.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.jspecify.annotations.Nullable;

/**
 * The right to do something in the folder of a cluster that only one may do at a time: run it, or restart its processes.
 * Held by the operating system, so it is free when its owner is gone, however it went.
 */
final class DirectoryLock implements AutoCloseable {
    private final FileChannel channel;

    private DirectoryLock(FileChannel channel) {
        this.channel = channel;
    }

    /** @throws ClusterException when another {@code up} holds it, in this process or in another */
    static DirectoryLock take(ClusterDir dir) throws ClusterException {
        return take(dir.lock(), "another `bellwether up` is running in " + dir.root()
                + ": stop it, or choose another folder with --dir (and another --port)");
    }

    /** @throws ClusterException when the processes of the folder are being restarted already: never two at once */
    static DirectoryLock ofRollingRestart(ClusterDir dir) throws ClusterException {
        return take(dir.rollingRestart(), "a `bellwether rolling-restart` is under way in " + dir.root());
    }

    private static DirectoryLock take(Path file, String taken) throws ClusterException {
        try {
            FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (tryLock(channel) == null) {
                channel.close();
                throw new ClusterException(taken);
            }
            return new DirectoryLock(channel);
        } catch (IOException e) {
            throw new ClusterException("cannot lock " + file + ": " + UserFolders.reason(e), e);
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
