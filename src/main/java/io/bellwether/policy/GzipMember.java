package io.bellwether.policy;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * The stored form of a segment: one gzip member (RFC 1952), a function of its lines and nothing else: no time, no name,
 * no operating system in the header, one fixed level. Two machines with the same zlib write the same bytes; with another
 * zlib they write other bytes of the same lines, which is why manifests carry the hash of the lines as well.
 */
public final class GzipMember {
    /** On policies, level 6 saves another 8 % of the bytes for 60 % more time, level 9 hardly more for twice that. */
    private static final int LEVEL = 4;

    private static final byte[] HEADER = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 0xff};
    private static final int TRAILER = 8;
    private static final int IN_BYTES = 64 << 10;
    private static final int OUT_BYTES = 32 << 10;

    private GzipMember() {}

    /**
     * Compresses one after another: what zlib needs for it is had once. Not thread safe; closed by the thread that made it.
     *
     * <p>zlib is given memory outside the heap: an array that it works on cannot be moved meanwhile, nor can what lies near
     * it, and with several threads at it each collection of the heap left some megabytes of garbage behind for that.
     */
    public static final class Compressor implements AutoCloseable {
        private final Deflater deflater = new Deflater(LEVEL, true);
        private final Arena arena = Arena.ofConfined();
        private final ByteBuffer out = arena.allocate(OUT_BYTES).asByteBuffer();
        private final ByteBuffer in = arena.allocate(IN_BYTES).asByteBuffer();

        /** The member that holds the first {@code length} bytes of {@code lines}, whatever was compressed before. */
        public byte[] compress(byte[] lines, int length) {
            deflater.reset();
            byte[] member = new byte[HEADER.length + TRAILER + Math.max(256, length / 3)];
            System.arraycopy(HEADER, 0, member, 0, HEADER.length);
            int size = HEADER.length;
            int given = 0;
            while (!deflater.finished()) {
                if (deflater.needsInput() && given < length) {
                    int count = Math.min(length - given, IN_BYTES);
                    deflater.setInput(in.clear().put(lines, given, count).flip());
                    given += count;
                }
                if (given == length) {
                    deflater.finish();
                }
                int count = deflater.deflate(out.clear());
                if (member.length - size < count + TRAILER) {
                    member = Arrays.copyOf(member, member.length + member.length / 2 + count);
                }
                out.flip().get(member, size, count);
                size += count;
            }
            CRC32 crc = new CRC32();
            crc.update(lines, 0, length);
            size = little(member, size, (int) crc.getValue());
            size = little(member, size, length);
            return Arrays.copyOf(member, size);
        }

        @Override
        public void close() {
            deflater.end();
            arena.close();
        }
    }

    /** The member that holds the first {@code length} bytes of {@code lines}. */
    public static byte[] compress(byte[] lines, int length) {
        try (Compressor compressor = new Compressor()) {
            return compressor.compress(lines, length);
        }
    }

    /**
     * The lines in a member.
     *
     * @param member exactly one member as {@link #compress} writes it
     * @param length of the lines, in bytes
     * @throws IllegalArgumentException if the member is damaged or holds another number of bytes
     */
    public static byte[] expand(byte[] member, int length) {
        if (member.length < HEADER.length + TRAILER || !Arrays.equals(member, 0, 4, HEADER, 0, 4)) {
            throw new IllegalArgumentException("not a gzip member without extra fields");
        }
        byte[] lines = new byte[length];
        Inflater inflater = new Inflater(true);
        try {
            inflater.setInput(member, HEADER.length, member.length - HEADER.length);
            int size = 0;
            // The end of the stream may need one more call, which then writes nothing.
            for (int got = 1; got > 0 && size < length; size += got) {
                got = inflater.inflate(lines, size, length - size);
            }
            if (size != length || inflater.inflate(new byte[1]) != 0 || !inflater.finished()
                    || inflater.getRemaining() != TRAILER) {
                throw new IllegalArgumentException("a gzip member of another length than " + length + " bytes");
            }
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("a damaged gzip member: " + e.getMessage(), e);
        } finally {
            inflater.end();
        }
        CRC32 crc = new CRC32();
        crc.update(lines);
        byte[] trailer = new byte[TRAILER];
        little(trailer, little(trailer, 0, (int) crc.getValue()), length);
        if (!Arrays.equals(trailer, 0, TRAILER, member, member.length - TRAILER, member.length)) {
            throw new IllegalArgumentException("a gzip member whose check sum is wrong");
        }
        return lines;
    }

    private static int little(byte[] out, int at, int value) {
        out[at] = (byte) value;
        out[at + 1] = (byte) (value >>> 8);
        out[at + 2] = (byte) (value >>> 16);
        out[at + 3] = (byte) (value >>> 24);
        return at + 4;
    }
}
