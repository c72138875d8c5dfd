package io.bellwether.catalog;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.util.zip.GZIPInputStream;

import org.jspecify.annotations.Nullable;

/**
 * The bytes of one segment, open for reading: a file of the host's cache, or, where that could not be kept, memory. The
 * file may be evicted meanwhile; what is open stays readable. Not thread safe.
 */
public final class StoredSegment implements Closeable {
    private static final int GUNZIP_BUFFER = 16 << 10;

    private final @Nullable FileChannel file;
    private final byte[] memory;
    private final long size;

    private StoredSegment(@Nullable FileChannel file, byte[] memory, long size) {
        this.file = file;
        this.memory = memory;
        this.size = size;
    }

    static StoredSegment of(FileChannel file) throws IOException {
        return new StoredSegment(file, new byte[0], file.size());
    }

    static StoredSegment of(byte[] content) {
        return new StoredSegment(null, content, content.length);
    }

    /** Its length as stored, in bytes. */
    public long size() {
        return size;
    }

    /** Whether it lies in a file. */
    public boolean isFile() {
        return file != null;
    }

    /**
     * Reads stored bytes from a position on.
     *
     * @return how many bytes were put into {@code target}, at least 1
     * @throws IOException if there are none at that position, or the disk fails
     */
    public int read(ByteBuffer target, long position) throws IOException {
        if (file != null) {
            int count = file.read(target, position);
            if (count > 0) {
                return count;
            }
            throw new IOException("a segment's file ended at " + position + " of " + size);
        }
        int count = (int) Math.min(target.remaining(), size - position);
        if (count <= 0) {
            throw new IOException("a segment ended at " + position);
        }
        target.put(memory, (int) position, count);
        return count;
    }

    /** Its lines, uncompressed. Closing the stream closes this. */
    public InputStream lines() throws IOException {
        InputStream stored = file != null
                ? Channels.newInputStream(file.position(0))
                : new ByteArrayInputStream(memory);
        return new GZIPInputStream(new BufferedInputStream(stored, GUNZIP_BUFFER), GUNZIP_BUFFER);
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
