package io.bellwether.loadtest.bulk;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

import io.bellwether.loadtest.bench.BenchmarkException;

/**
 * The lines of a generated feed, one after another. Knows the exact shape that {@code feed generate} writes, {@code
 * {"key":"…","body":…}}, and refuses another. Not thread-safe.
 */
final class FeedLine implements Closeable {
    private static final byte[] KEY = "{\"key\":\"".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] BODY = "\",\"body\":".getBytes(StandardCharsets.US_ASCII);

    private final InputStream in;
    private byte[] line = new byte[1 << 20];
    private byte[] key = {};
    private int bodyOffset;
    private int bodyLength;

    /** Stands before the first line. */
    FeedLine(Path feed) throws IOException {
        in = new BufferedInputStream(Files.newInputStream(feed), 1 << 18);
    }

    /** Goes to the next line; false when there is none. */
    boolean next() throws IOException {
        int length = 0;
        int read = in.read();
        if (read < 0) {
            return false;
        }
        for (; read >= 0 && read != '\n'; read = in.read()) {
            if (length == line.length) {
                line = Arrays.copyOf(line, 2 * length);
            }
            line[length++] = (byte) read;
        }
        int end = readKey();
        if (end < 0 || !Arrays.equals(line, end, end + BODY.length, BODY, 0, BODY.length) || line[length - 1] != '}') {
            throw new BenchmarkException("not a line of a generated feed: "
                    + new String(line, 0, Math.min(length, 200), StandardCharsets.UTF_8));
        }
        bodyOffset = end + BODY.length;
        bodyLength = length - 1 - bodyOffset;
        return true;
    }

    /** Reads the key, in which nothing but quotes and backslashes is escaped; returns where it ends, or -1. */
    private int readKey() {
        if (!Arrays.equals(line, 0, KEY.length, KEY, 0, KEY.length)) {
            return -1;
        }
        byte[] bytes = new byte[512];
        int length = 0;
        int at = KEY.length;
        for (; line[at] != '"'; at++) {
            if (line[at] == '\\' && line[++at] != '"' && line[at] != '\\' || length == bytes.length) {
                return -1;
            }
            bytes[length++] = line[at];
        }
        key = Arrays.copyOf(bytes, length);
        return at;
    }

    /** The key of the line. */
    byte[] key() {
        return key;
    }

    /** The array that holds the body. */
    byte[] buffer() {
        return line;
    }

    int bodyOffset() {
        return bodyOffset;
    }

    int bodyLength() {
        return bodyLength;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
