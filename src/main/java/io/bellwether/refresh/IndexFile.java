package io.bellwether.refresh;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

import org.jspecify.annotations.Nullable;

import io.bellwether.policy.Limits;
import io.bellwether.policy.Sha256;

/**
 * What a set held when this host last refreshed it, read from its file; open until closed. Not thread safe.
 *
 * <p>The file is a chain of blocks. Each leads from one content of the set to another, named by the content hashes of
 * their revisions; the first leads from nothing. A block has what was put (hash of key, hash of body, key) and what was
 * deleted (hash of key), and a check sum. So a file is of use for every content on its chain, and one that lags behind,
 * is torn or is another set's is told from one that is right without asking anybody.
 */
final class IndexFile implements Closeable {
    static final int MAGIC = 0x42574958;
    /** Magic, from, to, puts, deletes. */
    static final int HEADER = 4 + 2 * Sha256.LENGTH + 8 + 8;
    static final int TRAILER = 4;
    /** What precedes the key of a put: two hashes and its length. */
    static final int PUT = 2 * PolicyIndex.HASH_BYTES + 2;

    private static final int BUFFER = 256 << 10;

    private final FileChannel channel;
    private final PolicyIndex index;
    private long end;
    private long firstBlock;
    private boolean atEnd;

    private IndexFile(FileChannel channel, long policies) {
        this.channel = channel;
        this.index = new PolicyIndex(policies);
    }

    /**
     * Reads a file up to a content.
     *
     * @param content the hash of what is wanted
     * @param policies in it
     * @return null if the file does not lead there
     * @throws IOException if it is not there or cannot be read
     */
    static @Nullable IndexFile open(Path path, Sha256 content, long policies) throws IOException {
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
        IndexFile file = new IndexFile(channel, policies);
        boolean found = false;
        try {
            found = file.load(content) && file.index.size() == policies;
            file.atEnd = channel.size() == file.end;
        } catch (IllegalStateException e) {
            // A check sum would have told; this came first.
            found = false;
        } finally {
            if (!found) {
                channel.close();
            }
        }
        return found ? file : null;
    }

    /** What it read. */
    PolicyIndex index() {
        return index;
    }

    /** Where the block that leads to the content ends. */
    long end() {
        return end;
    }

    /** Whether nothing follows that block, be it of a later content or torn. */
    boolean isAtEnd() {
        return atEnd;
    }

    /** How long the first block is. */
    long firstBlock() {
        return firstBlock;
    }

    /** Gets keys with their hashes. */
    @FunctionalInterface
    interface Keys {
        /** The arrays are only valid during the call. */
        void key(byte[] buffer, int hashOffset, int keyOffset, int keyLength) throws Exception;
    }

    /** Goes through the keys that were put anywhere on the chain: all of the content, some twice, some deleted since. */
    void keys(Keys keys) throws Exception {
        Reader in = new Reader();
        while (in.position() < end) {
            Block block = Reader.block(in.header());
            if (block == null) {
                throw new IOException("the index was changed while it was read");
            }
            for (long left = block.puts(); left > 0; left--) {
                int at = in.take(PUT);
                int length = in.keyLength(at);
                at = in.takeAgain(PUT, length);
                keys.key(in.buffer, at, at + PUT, length);
            }
            for (long left = block.deletes(); left > 0; left--) {
                in.take(PolicyIndex.HASH_BYTES);
            }
            in.take(TRAILER);
        }
    }

    private boolean load(Sha256 content) throws IOException {
        Reader in = new Reader();
        Sha256 reached = Sha256.wrap(new byte[Sha256.LENGTH]);
        try {
            while (!reached.equals(content)) {
                Block block = Reader.block(in.header());
                if (block == null || !block.from().equals(reached)) {
                    return false;
                }
                apply(in, block);
                int sum = (int) in.sum();
                if (sum != in.ints(in.take(TRAILER))) {
                    return false;
                }
                in.newSum();
                reached = block.to();
                end = in.position();
                if (firstBlock == 0) {
                    firstBlock = end;
                }
            }
            return true;
        } catch (EOFException e) {
            return false;
        }
    }

    private void apply(Reader in, Block block) throws IOException {
        for (long left = block.puts(); left > 0; left--) {
            int at = in.take(PUT);
            int length = in.keyLength(at);
            at = in.takeAgain(PUT, length);
            index.replace(in.buffer, at, at + PolicyIndex.HASH_BYTES);
        }
        for (long left = block.deletes(); left > 0; left--) {
            index.remove(in.buffer, in.take(PolicyIndex.HASH_BYTES));
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // It was only read.
            return;
        }
    }

    private record Block(Sha256 from, Sha256 to, long puts, long deletes) {}

    /** Reads the channel from its beginning, summing up what was taken. */
    private final class Reader {
        private final byte[] buffer = new byte[BUFFER];
        private CRC32C crc = new CRC32C();
        private int next;
        private int limit;
        private long read;

        long position() {
            return read - (limit - next);
        }

        /** Makes some bytes available and goes past them; returns where they are in the buffer. */
        int take(int bytes) throws IOException {
            if (limit - next < bytes) {
                System.arraycopy(buffer, next, buffer, 0, limit - next);
                limit -= next;
                next = 0;
                while (limit < bytes) {
                    int more = channel.read(ByteBuffer.wrap(buffer, limit, buffer.length - limit), read);
                    if (more < 0) {
                        throw new EOFException();
                    }
                    limit += more;
                    read += more;
                }
            }
            int at = next;
            next += bytes;
            crc.update(buffer, at, bytes);
            return at;
        }

        /** Goes past {@code more} bytes behind the {@code taken} last ones; returns where those are now. */
        int takeAgain(int taken, int more) throws IOException {
            if (limit - next >= more) {
                crc.update(buffer, next, more);
                next += more;
                return next - more - taken;
            }
            next -= taken;
            CRC32C before = crc;
            crc = new CRC32C();
            int at = take(taken + more);
            crc = before;
            crc.update(buffer, at + taken, more);
            return at;
        }

        int keyLength(int at) {
            int length = (buffer[at + PUT - 2] & 0xff) << 8 | buffer[at + PUT - 1] & 0xff;
            if (length == 0 || length > Limits.MAX_KEY_BYTES) {
                throw new IllegalStateException("a key of " + length + " bytes");
            }
            return length;
        }

        long sum() {
            return crc.getValue();
        }

        void newSum() {
            crc = new CRC32C();
        }

        int ints(int at) {
            return ByteBuffer.wrap(buffer, at, 4).getInt();
        }

        ByteBuffer header() throws IOException {
            return ByteBuffer.wrap(buffer, take(HEADER), HEADER);
        }

        static @Nullable Block block(ByteBuffer header) {
            if (header.getInt() != MAGIC) {
                return null;
            }
            byte[] from = new byte[Sha256.LENGTH];
            byte[] to = new byte[Sha256.LENGTH];
            header.get(from).get(to);
            return new Block(Sha256.wrap(from), Sha256.wrap(to), header.getLong(), header.getLong());
        }
    }
}
