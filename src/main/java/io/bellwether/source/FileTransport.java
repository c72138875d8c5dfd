package io.bellwether.source;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * A feed in a regular file. A file that is replaced by a rename while it is read does no harm; one that is written to is
 * noticed at the end. Not thread-safe.
 */
final class FileTransport implements FeedStream.Transport {
    /**
     * A file younger than this may change again without another time or size, so it gets no validators yet: the clocks of
     * file systems tick coarsely.
     */
    private static final Duration SETTLED = Duration.ofSeconds(2);

    private final Path path;
    private final BasicFileAttributes before;
    private final Validators validators;
    private final InputStream body;

    FileTransport(Path path, Instant now, Deadline deadline) throws IOException {
        this.path = path;
        this.before = attributes(path);
        if (!before.isRegularFile()) {
            throw new FeedException(FeedProblem.UNREACHABLE, "not a regular file: " + path);
        }
        boolean settled = before.lastModifiedTime().toInstant().plus(SETTLED).isBefore(now);
        this.validators = settled ? new Validators(tag(before), null) : Validators.NONE;
        this.body = new Body(Files.newInputStream(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS), deadline);
    }

    private static BasicFileAttributes attributes(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    private static String tag(BasicFileAttributes file) {
        return "\"" + file.size() + "-" + file.lastModifiedTime().toInstant() + "-" + file.fileKey() + "\"";
    }

    @Override
    public InputStream body() {
        return body;
    }

    @Override
    public String contentEncoding() {
        return "";
    }

    @Override
    public OptionalLong length() {
        return OptionalLong.of(before.size());
    }

    @Override
    public Validators validators() {
        return validators;
    }

    @Override
    public String location() {
        return path.toString();
    }

    @Override
    public void checkWhole() throws FeedException {
        try {
            BasicFileAttributes after = attributes(path);
            if (Objects.equals(before.fileKey(), after.fileKey()) && !tag(before).equals(tag(after))) {
                throw new FeedException(FeedProblem.CHANGED,
                        path + " was written to while it was read (write beside it, then rename)");
            }
        } catch (FeedException e) {
            throw e;
        } catch (IOException e) {
            // Gone in the meantime: what was read is the file as it was.
        }
    }

    /** Looks at the deadline and at the thread's interrupt before each read; the JDK's streams of files do neither. */
    private static final class Body extends BlockInput {
        private final InputStream in;
        private final Deadline deadline;

        Body(InputStream in, Deadline deadline) {
            this.in = in;
            this.deadline = deadline;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            deadline.check();
            if (Thread.currentThread().isInterrupted()) {
                throw new FeedException(FeedProblem.STOPPED, "reading the feed was stopped");
            }
            return in.read(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
