package io.bellwether.feed;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;

/**
 * Writes the feed of a {@link FeedShape}, line by line: {@code {"key":"…","body":…}} and a line feed. Lines are not in
 * key order, as those of a real upstream are not. The memory used is that of the longest line, about 0.5 MB, whatever
 * the number of policies.
 *
 * <p>
 * Not thread-safe; generators of one shape are independent of each other and give the same bytes.
 */
public final class FeedGenerator {
    private static final byte[] KEY = Text.utf8("{\"key\":\"");
    private static final byte[] BODY = Text.utf8("\",\"body\":");
    /** Out of this many policies touched by a change one is deleted and one is added. */
    private static final int TOUCHED = 10;
    private static final int DELETED = 8;
    private static final int ADDED = 9;

    private final FeedShape shape;
    private final Shuffle changeOrder;
    private final Shuffle identities;
    private final PolicyAuthor author;
    private final Text line = new Text();
    private long index;
    /** A policy added beside the one just written, by its version; 0 is none. */
    private long companion;

    /** Stands before the first line of the feed. */
    public FeedGenerator(FeedShape shape) {
        this.shape = shape;
        this.changeOrder = new Shuffle(shape.policies(), shape.seed() ^ 0x6368616e6765L);
        this.identities = new Shuffle(shape.policies(), shape.seed() ^ 0x6b657973L);
        this.author = new PolicyAuthor(shape.seed());
    }

    /**
     * Writes what is left of the feed; the stream is neither flushed nor closed.
     *
     * @param out
     *            gets one write per line: buffer it where a small write is dear
     * @return the number of lines written
     */
    public long writeTo(OutputStream out) throws IOException {
        long lines = 0;
        while (next()) {
            out.write(line.bytes(), 0, line.length());
            lines++;
        }
        return lines;
    }

    /**
     * Writes the feed to a file that appears whole or not at all, gzipped if the name ends in {@code .gz}. A file of
     * that name is replaced.
     *
     * @return the number of lines written
     */
    public static long writeTo(Path file, FeedShape shape) throws IOException {
        Path part = file.resolveSibling(file.getFileName() + ".part");
        try {
            long lines;
            try (OutputStream out = open(part, file)) {
                lines = new FeedGenerator(shape).writeTo(out);
            }
            Files.move(part, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
            return lines;
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private static OutputStream open(Path part, Path file) throws IOException {
        boolean gzip = file.toString().toLowerCase(Locale.ROOT).endsWith(".gz");
        OutputStream plain = Files.newOutputStream(part);
        return new BufferedOutputStream(gzip ? new GZIPOutputStream(plain, 64 * 1024) : plain, 128 * 1024);
    }

    /** Puts the next line into {@link #line}; false at the end of the feed. */
    private boolean next() {
        if (companion > 0) {
            write(identities.place(index - 1) + shape.policies() * companion, companion);
            companion = 0;
            return true;
        }
        while (index < shape.policies()) {
            long place = changeOrder.place(index++);
            long identity = identities.place(index - 1);
            switch ((int) (place % TOUCHED)) {
                case DELETED -> {
                    // The pair of a deleted and an added policy is touched as one, so that the number of lines stays.
                    boolean alone = place + 1 == shape.policies();
                    long version = versionAt(alone ? place : place + 1);
                    if (version % 2 != 0 && !alone) {
                        continue;
                    }
                    write(identity, version);
                }
                case ADDED -> {
                    long version = versionAt(place);
                    companion = version % 2 != 0 ? version : 0;
                    write(identity, 0);
                }
                default -> write(identity, versionAt(place));
            }
            return true;
        }
        return false;
    }

    /** How often the window of change, which moves on by its width each generation, has passed over this place. */
    private long versionAt(long place) {
        long reached = shape.generation() * shape.changedPerGeneration();
        return reached <= place ? 0 : Math.ceilDiv(reached - place, shape.policies());
    }

    private void write(long identity, long version) {
        line.clear();
        line.add(KEY);
        author.key(line, identity);
        line.add(BODY);
        author.body(line, identity, version);
        line.add('}').add('\n');
    }
}
