package io.bellwether.refresh;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;

import io.bellwether.policy.Limits;
import io.bellwether.policy.PolicyLine;
import io.bellwether.policy.SegmentRef;

/**
 * Makes segments of the changes themselves, as a change feed shows them, in key order. A delta that grows beyond a limit
 * is given up: whoever is behind fetches the set then. Not thread safe.
 */
final class DeltaBuilder {
    private static final int FIRST_BYTES = 16 << 10;

    private final SegmentPress press;
    private final long limit;
    private final List<Future<SegmentRef>> segments = new ArrayList<>();
    private @Nullable Chunk chunk;
    private long rawBytes;

    /**
     * An empty delta.
     *
     * @param limit the bytes of lines from which it is not worth keeping
     */
    DeltaBuilder(SegmentPress press, long limit) {
        this.press = press;
        this.limit = limit;
    }

    void put(byte[] key, byte[] row, int offset, int length) throws SQLException, InterruptedException {
        if (rawBytes <= limit) {
            Chunk to = chunkFor(key);
            PolicyLine.appendPut(to, key, row, offset, length);
            added(to);
        }
    }

    void delete(byte[] key) throws SQLException, InterruptedException {
        if (rawBytes <= limit) {
            Chunk to = chunkFor(key);
            PolicyLine.appendDelete(to, key);
            added(to);
        }
    }

    /** The segments of the delta in key order; null if it was given up. */
    @Nullable
    List<SegmentRef> finish() throws SQLException, InterruptedException {
        if (rawBytes > limit) {
            return null;
        }
        close();
        return press.await(segments);
    }

    private Chunk chunkFor(byte[] key) {
        Chunk open = chunk;
        if (open == null) {
            open = new Chunk(key, new byte[FIRST_BYTES]);
            chunk = open;
        }
        return open;
    }

    private void added(Chunk to) throws SQLException, InterruptedException {
        to.countLine();
        if (to.size() >= Limits.DELTA_RAW_TARGET_BYTES || rawBytes + to.size() > limit) {
            close();
        }
    }

    private void close() throws SQLException, InterruptedException {
        Chunk full = chunk;
        chunk = null;
        if (full != null) {
            rawBytes += full.size();
            if (rawBytes <= limit) {
                segments.add(press.press(full));
            }
        }
    }
}
