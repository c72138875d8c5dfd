package io.bellwether.cluster;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What a child printed: a file of at most 8 MiB and one older file beside it, and the last lines in memory. A log that
 * cannot be written (a full disk) is given up quietly: the child must never block on its own output. Thread-safe.
 */
final class BoundedLog implements AutoCloseable {
    private static final long MAX_BYTES = 8L << 20;
    private static final int LAST_LINES = 30;

    private final Path file;
    private final Deque<String> last = new ArrayDeque<>();
    private @Nullable BufferedWriter writer;
    private long written;

    BoundedLog(Path file) {
        this.file = file;
    }

    synchronized void append(String line) {
        last.addLast(line);
        if (last.size() > LAST_LINES) {
            last.removeFirst();
        }
        try {
            BufferedWriter out = open();
            out.write(line);
            out.newLine();
            out.flush();
            written += line.length() + 1L;
        } catch (IOException e) {
            close();
        }
    }

    /** Forgets the last lines, not the file's: what comes now is said by another process. */
    synchronized void begin() {
        last.clear();
    }

    /** The last lines since {@link #begin}, oldest first; at most 30. */
    synchronized List<String> lastLines() {
        return List.copyOf(last);
    }

    Path file() {
        return file;
    }

    private BufferedWriter open() throws IOException {
        if (writer != null && written >= MAX_BYTES) {
            close();
            Files.move(file, file.resolveSibling(file.getFileName() + ".1"), StandardCopyOption.REPLACE_EXISTING);
        }
        BufferedWriter out = writer;
        if (out == null) {
            out = Files.newBufferedWriter(file, StandardCharsets.UTF_8, StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
            written = Files.size(file);
            writer = out;
        }
        return out;
    }

    @Override
    public synchronized void close() {
        try (BufferedWriter _ = writer) {
            writer = null;
        } catch (IOException e) {
            // see above: a log is given up quietly
        }
    }
}
