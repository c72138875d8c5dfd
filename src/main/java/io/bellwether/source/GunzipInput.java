package io.bellwether.source;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decompresses gzip (RFC 1952) of any number of members, and takes nothing for an end that is not one: each member has to
 * be whole, with its checksum and length. After the last one only zero bytes may follow (tape padding). The JDK's
 * {@code GZIPInputStream} asks {@code available()} whether another member follows, which a network cannot answer, and
 * ignores garbage there. A feed cut exactly between two members cannot be told from a whole one. Not thread-safe.
 */
final class GunzipInput extends BlockInput {
    private static final int HEADER_CRC = 2;
    private static final int EXTRA = 4;
    private static final int NAME = 8;
    private static final int COMMENT = 16;
    private static final int KNOWN_FLAGS = 0x1f;

    private final InputStream in;
    private final byte[] buffer = new byte[64 * 1024];
    private final Inflater inflater = new Inflater(true);
    private final CRC32 crc = new CRC32();
    private int at;
    private int end;
    private boolean inMember;
    private boolean ended;
    private boolean closed;

    GunzipInput(InputStream in) {
        this.in = in;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (!ended) {
            if (closed) {
                throw new IOException("closed");
            }
            if (!inMember) {
                inMember = header();
                ended = !inMember;
                continue;
            }
            int count = inflate(bytes, offset, length);
            if (count > 0) {
                crc.update(bytes, offset, count);
                return count;
            }
        }
        return -1;
    }

    private int inflate(byte[] bytes, int offset, int length) throws IOException {
        try {
            int count = inflater.inflate(bytes, offset, length);
            at = end - inflater.getRemaining();
            if (count > 0) {
                return count;
            }
        } catch (DataFormatException e) {
            String what = e.getMessage();
            throw damaged(what == null ? "not deflated data" : what);
        }
        if (inflater.finished()) {
            trailer();
        } else if (inflater.needsDictionary()) {
            throw damaged("a preset dictionary is wanted");
        } else if (inflater.needsInput()) {
            fill();
            inflater.setInput(buffer, at, end - at);
        }
        return 0;
    }

    /** Reads a member's header; false at the end of the last member. */
    private boolean header() throws IOException {
        if (!anyLeft()) {
            return false;
        }
        int first = next();
        if (first == 0) {
            padding();
            return false;
        }
        if (first != 0x1f || next() != 0x8b) {
            throw damaged("what follows the last gzip member is none");
        }
        if (next() != 8) {
            throw damaged("the compression method is not deflate");
        }
        int flags = next();
        if ((flags & ~KNOWN_FLAGS) != 0) {
            throw damaged("the header has flags unknown to RFC 1952");
        }
        skip(6);
        if ((flags & EXTRA) != 0) {
            skip(next() | next() << 8);
        }
        skipText(flags & NAME);
        skipText(flags & COMMENT);
        if ((flags & HEADER_CRC) != 0) {
            skip(2);
        }
        inflater.reset();
        inflater.setInput(buffer, at, end - at);
        crc.reset();
        return true;
    }

    private void trailer() throws IOException {
        long sum = word();
        long size = word();
        if (sum != crc.getValue()) {
            throw damaged("the checksum of a gzip member is wrong");
        }
        if (size != (inflater.getBytesWritten() & 0xffff_ffffL)) {
            throw damaged("the length of a gzip member is wrong");
        }
        inMember = false;
    }

    private void padding() throws IOException {
        while (anyLeft()) {
            if (next() != 0) {
                throw damaged("what follows the last gzip member is none");
            }
        }
    }

    private long word() throws IOException {
        return next() | (long) next() << 8 | (long) next() << 16 | (long) next() << 24;
    }

    private void skip(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            next();
        }
    }

    private void skipText(int flag) throws IOException {
        if (flag != 0) {
            while (next() != 0) {
                // Up to the zero byte that ends it.
            }
        }
    }

    private int next() throws IOException {
        if (at == end) {
            fill();
        }
        return buffer[at++] & 0xff;
    }

    private void fill() throws IOException {
        if (!anyLeft()) {
            throw new FeedException(FeedProblem.TRUNCATED, "the feed ends in the middle of a gzip member");
        }
    }

    /** Whether a byte is left, reading on if the buffer is used up. */
    private boolean anyLeft() throws IOException {
        while (at == end) {
            int read = in.read(buffer, 0, buffer.length);
            if (read < 0) {
                return false;
            }
            at = 0;
            end = read;
        }
        return true;
    }

    private static FeedException damaged(String what) {
        return new FeedException(FeedProblem.BAD_COMPRESSION, "the gzip data is damaged: " + what);
    }

    @Override
    public void close() throws IOException {
        closed = true;
        inflater.end();
        in.close();
    }
}
