package io.bellwether.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

import org.eclipse.jetty.ee10.servlet.HttpOutput;
import org.jspecify.annotations.Nullable;

import io.bellwether.catalog.SegmentStore;
import io.bellwether.catalog.StoredSegment;
import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.policy.SegmentRef;

/**
 * Writes the stored bytes of segments as a body, or a part of them. Thread safe.
 *
 * <p>They pass through one buffer outside the heap, whatever their length.
 */
final class SegmentBodies {
    private static final int BUFFER_BYTES = 256 << 10;
    private static final int SPARE_BUFFERS = 32;

    private final SegmentStore store;
    private final BlockingQueue<ByteBuffer> spare = new ArrayBlockingQueue<>(SPARE_BUFFERS);

    SegmentBodies(SegmentStore store) {
        this.store = store;
    }

    /**
     * Answers with the concatenation of the segments, or the part of it that is asked for.
     *
     * @param total their length
     * @param etag of the body, already set
     */
    void answer(Exchange exchange, String contentType, List<SegmentRef> segments, long total, String etag)
            throws IOException {
        exchange.set("Accept-Ranges", "bytes");
        ByteRange range = exchange.isHead()
                ? ByteRange.of(null, null, etag, total)
                : ByteRange.of(exchange.header("Range"), exchange.header("If-Range"), etag, total);
        if (range.kind() == ByteRange.Kind.UNSATISFIABLE) {
            exchange.set("Content-Range", range.contentRange(total));
            throw new Fault(FaultKind.RANGE_NOT_SATISFIABLE, "the body has " + total + " bytes");
        }
        boolean part = range.kind() == ByteRange.Kind.PART;
        Parts parts = new Parts(segments, range);
        // The first segment is opened before the header is sent, so that what cannot be read is a problem, not a cut.
        StoredSegment first = exchange.isHead() ? null : parts.open();
        try {
            if (part) {
                exchange.set("Content-Range", range.contentRange(total));
            }
            OutputStream out = exchange.stream(part ? 206 : 200, contentType, range.length());
            if (out != null && first != null) {
                parts.write(first, out);
            }
        } finally {
            if (first != null) {
                first.close();
            }
        }
    }

    private final class Parts {
        private final List<SegmentRef> segments;
        private int index;
        private long offset;
        private long left;

        Parts(List<SegmentRef> segments, ByteRange range) {
            this.segments = segments;
            this.offset = range.from();
            this.left = range.length();
            while (index < segments.size() && offset >= segments.get(index).bytes()) {
                offset -= segments.get(index++).bytes();
            }
        }

        @Nullable
        StoredSegment open() throws IOException {
            if (left == 0) {
                return null;
            }
            SegmentRef segment = segments.get(index);
            return store.open(segment.sha256(), segment.bytes());
        }

        void write(StoredSegment first, OutputStream out) throws IOException {
            ByteBuffer buffer = borrow();
            try {
                copy(first, buffer, out);
                while (left > 0) {
                    try (StoredSegment next = store.open(segments.get(index).sha256(), segments.get(index).bytes())) {
                        copy(next, buffer, out);
                    }
                }
            } finally {
                giveBack(buffer);
            }
        }

        private void copy(StoredSegment from, ByteBuffer buffer, OutputStream out) throws IOException {
            while (left > 0 && offset < from.size()) {
                buffer.clear().limit((int) Math.min(buffer.capacity(), Math.min(left, from.size() - offset)));
                int count = from.read(buffer, offset);
                buffer.flip();
                put(buffer, out);
                offset += count;
                left -= count;
            }
            offset = 0;
            index++;
        }
    }

    private static void put(ByteBuffer buffer, OutputStream out) throws IOException {
        if (out instanceof HttpOutput jetty) {
            jetty.write(buffer);
        } else {
            byte[] copy = new byte[buffer.remaining()];
            buffer.get(copy);
            out.write(copy);
        }
    }

    private ByteBuffer borrow() {
        ByteBuffer buffer = spare.poll();
        return buffer == null ? ByteBuffer.allocateDirect(BUFFER_BYTES) : buffer;
    }

    private void giveBack(ByteBuffer buffer) {
        if (!spare.offer(buffer.clear())) {
            // Enough are kept; this one goes with the garbage.
            return;
        }
    }
}
