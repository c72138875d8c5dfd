package io.bellwether.refresh;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.bellwether.policy.Sha256;

/**
 * The next block of an {@link IndexFile}, written beside it while the feed goes by and joined to it once its revision is
 * published: as the first block of a new file when nothing was read of the old one or the chain has grown long, else at
 * its end. A disk that does not want it is no reason for a refresh to fail; there is no file then. Not thread safe.
 */
final class IndexUpdate implements Closeable {
    private static final Logger log = LoggerFactory.getLogger(IndexUpdate.class);
    private static final int BUFFER = 256 << 10;
    /** How long the chain may be behind its first block, at least; beyond that, half of the first block. */
    private static final long CHAIN = 1 << 20;

    private final Path path;
    private final SetState set;
    private final @Nullable IndexFile base;
    private final boolean whole;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
    private @Nullable Path part;
    private @Nullable FileChannel out;
    private long puts;
    private long deletes;

    IndexUpdate(Path folder, Path path, SetState set, @Nullable IndexFile base) {
        this.path = path;
        this.set = set;
        this.base = base;
        this.whole = base == null || !base.isAtEnd()
                || base.end() - base.firstBlock() > Math.max(CHAIN, base.firstBlock() / 2);
        try {
            Files.createDirectories(folder);
            Path created = Files.createTempFile(folder, "part-", "");
            part = created;
            out = FileChannel.open(created, StandardOpenOption.READ, StandardOpenOption.WRITE);
            buffer.put(new byte[IndexFile.HEADER]);
        } catch (IOException e) {
            giveUp(e);
        }
    }

    /** Whether it wants every policy of the feed, not only those that are new or changed. */
    boolean whole() {
        return whole;
    }

    void put(byte[] keySha256, byte[] bodySha256, byte[] key, int offset, int length) {
        if (out != null && room(IndexFile.PUT + length)) {
            buffer.put(keySha256, 0, PolicyIndex.HASH_BYTES).put(bodySha256, 0, PolicyIndex.HASH_BYTES)
                    .putShort((short) length).put(key, offset, length);
            puts++;
        }
    }

    /** After all puts. */
    void delete(byte[] keyHash, int offset) {
        if (!whole && out != null && room(PolicyIndex.HASH_BYTES)) {
            buffer.put(keyHash, offset, PolicyIndex.HASH_BYTES);
            deletes++;
        }
    }

    /** Whether there is anything to be joined. */
    private boolean isNothing() {
        return !whole && puts == 0 && deletes == 0;
    }

    /**
     * Joins the block to the file.
     *
     * @param content the hash of the content that was published
     */
    void publish(Sha256 content) {
        FileChannel file = out;
        Path written = part;
        if (file == null || written == null || isNothing()) {
            return;
        }
        try {
            flush();
            ByteBuffer header = ByteBuffer.allocate(IndexFile.HEADER).putInt(IndexFile.MAGIC)
                    .put(whole ? new byte[Sha256.LENGTH] : from()).put(content.bytes()).putLong(puts)
                    .putLong(deletes);
            // The sum is over the header as it is in the end, then the rest; the zeros that held its place were left out.
            CRC32C sum = new CRC32C();
            sum.update(header.array());
            seal(file, header, sum);
            if (whole) {
                Files.move(written, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                part = null;
            } else {
                append(file);
            }
        } catch (IOException e) {
            giveUp(e);
        }
    }

    private byte[] from() {
        Sha256 content = set.contentSha256();
        return content == null ? new byte[Sha256.LENGTH] : content.bytes();
    }

    private void seal(FileChannel file, ByteBuffer header, CRC32C sum) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(BUFFER);
        long at = IndexFile.HEADER;
        while (file.read(bytes.clear(), at) > 0) {
            sum.update(bytes.array(), 0, bytes.position());
            at += bytes.position();
        }
        write(file, ByteBuffer.allocate(IndexFile.TRAILER).putInt((int) sum.getValue()).flip(), at);
        write(file, header.flip(), 0);
    }

    private void append(FileChannel block) throws IOException {
        IndexFile before = base;
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE); FileLock lock = file.tryLock()) {
            if (before == null || lock == null || file.size() != before.end()) {
                return;
            }
            long length = block.size();
            long done = 0;
            file.position(before.end());
            while (done < length) {
                done += block.transferTo(done, length - done, file);
            }
        } catch (OverlappingFileLockException e) {
            log.debug("{}: somebody else writes the index", set.name());
        }
    }

    private boolean room(int bytes) {
        if (buffer.remaining() < bytes) {
            try {
                flush();
            } catch (IOException e) {
                giveUp(e);
                return false;
            }
        }
        return true;
    }

    private void flush() throws IOException {
        FileChannel file = out;
        if (file != null) {
            buffer.flip();
            while (buffer.hasRemaining()) {
                file.write(buffer);
            }
            buffer.clear();
        }
    }

    private static void write(FileChannel file, ByteBuffer bytes, long position) throws IOException {
        long at = position;
        while (bytes.hasRemaining()) {
            at += file.write(bytes, at);
        }
    }

    private void giveUp(IOException e) {
        log.warn("{}: no index is kept on this host: {}", set.name(), e.toString());
        close();
    }

    @Override
    public void close() {
        try {
            FileChannel file = out;
            out = null;
            if (file != null) {
                file.close();
            }
            Path left = part;
            part = null;
            if (left != null) {
                Files.deleteIfExists(left);
            }
        } catch (IOException e) {
            log.debug("{}: a part of an index stays", set.name(), e);
        }
    }
}
