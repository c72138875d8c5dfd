package io.bellwether.catalog;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

/**
 * Keys gathered in any order, to be had in key order, each once. Holds a bounded part of them in memory; whenever that is
 * full it is sorted into a scratch file, whose parts are merged in the end. Not thread safe.
 */
final class ChangedKeys implements AutoCloseable {
    /** What an entry of a sorted set and an array take besides the key's bytes. */
    private static final int OVERHEAD_BYTES = 100;
    private static final int READ_BUFFER_BYTES = 16 << 10;

    /** Makes the file when it is needed. */
    @FunctionalInterface
    interface Scratch {
        FileChannel open() throws IOException;
    }

    /** Where keys go. */
    @FunctionalInterface
    interface Sink {
        void key(byte[] key) throws IOException;
    }

    private final long heapBytes;
    private final Scratch scratch;
    private final TreeSet<byte[]> held = new TreeSet<>(Arrays::compareUnsigned);
    private final List<Long> ends = new ArrayList<>();
    private long heldBytes;
    private @Nullable FileChannel file;

    ChangedKeys(long heapBytes, Scratch scratch) {
        this.heapBytes = heapBytes;
        this.scratch = scratch;
    }

    void add(byte[] key) throws IOException {
        if (held.add(key)) {
            heldBytes += key.length + OVERHEAD_BYTES;
            if (heldBytes >= heapBytes) {
                spill();
            }
        }
    }

    /** Hands over all keys; once. */
    void forEach(Sink sink) throws IOException {
        FileChannel spilled = file;
        if (spilled == null) {
            for (byte[] key : held) {
                sink.key(key);
            }
            return;
        }
        spill();
        PriorityQueue<Part> parts = new PriorityQueue<>((a, b) -> Arrays.compareUnsigned(a.key, b.key));
        long begin = 0;
        for (long end : ends) {
            Part part = new Part(spilled, begin, end);
            if (part.next()) {
                parts.add(part);
            }
            begin = end;
        }
        byte[] last = null;
        for (Part part = parts.poll(); part != null; part = parts.poll()) {
            if (last == null || !Arrays.equals(last, part.key)) {
                last = part.key;
                sink.key(last);
            }
            if (part.next()) {
                parts.add(part);
            }
        }
    }

    private void spill() throws IOException {
        FileChannel into = file;
        if (into == null) {
            file = into = scratch.open();
        }
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(into)));
        for (byte[] key : held) {
            out.writeShort(key.length);
            out.write(key);
        }
        // Not closed: that would close the file.
        out.flush();
        ends.add(into.position());
        held.clear();
        heldBytes = 0;
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }

    /** A sorted part of the file, standing at a key. */
    private static final class Part {
        private final DataInputStream in;
        private byte[] key = {};

        Part(FileChannel file, long begin, long end) {
            this.in = new DataInputStream(new BufferedInputStream(new Slice(file, begin, end), READ_BUFFER_BYTES));
        }

        boolean next() throws IOException {
            int high = in.read();
            if (high < 0) {
                return false;
            }
            key = new byte[high << 8 | in.readUnsignedByte()];
            in.readFully(key);
            return true;
        }
    }

    private static final class Slice extends InputStream {
        private final FileChannel file;
        private long position;
        private final long end;

        Slice(FileChannel file, long begin, long end) {
            this.file = file;
            this.position = begin;
            this.end = end;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int wanted = (int) Math.min(length, end - position);
            if (wanted == 0) {
                return length == 0 ? 0 : -1;
            }
            int count = file.read(ByteBuffer.wrap(into, offset, wanted), position);
            if (count < 0) {
                throw new IOException("a scratch file ended at " + position);
            }
            position += count;
            return count;
        }
    }
}
