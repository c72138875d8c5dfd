package io.bellwether.source;

import static io.bellwether.source.Feeds.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.bellwether.feed.FeedGenerator;
import io.bellwether.feed.FeedShape;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class FileSourceTest {
    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
    private static final byte[] FEED = bytes("{\"key\":\"a\",\"body\":1}\n{\"key\":\"b\",\"body\":2}\n");

    @TempDir
    private Path folder;
    private FeedSource source;
    private Path file;

    @BeforeEach
    void start() throws Exception {
        source = new FeedSource(SourceAllow.parse(List.of("file:" + folder)), () -> NOW);
        file = folder.resolve("feed.ndjson");
        write(FEED, NOW.minusSeconds(60));
    }

    @AfterEach
    void stop() {
        source.close();
    }

    private void write(byte[] content, Instant time) throws Exception {
        Files.write(file, content);
        Files.setLastModifiedTime(file, FileTime.from(time));
    }

    @Test
    void open_file_isRead() throws Exception {
        for (String url : List.of("file:" + file, "file://" + file, "FILE://localhost" + file)) {
            try (FeedStream stream = (FeedStream) source.open(SourceRequest.of(url))) {
                assertThat(stream.expectedBytes()).hasValue(FEED.length);
                assertThat(Feeds.readAll(stream)).hasSize(2);
                assertThat(stream.location()).isEqualTo(file.toRealPath().toString());
            }
        }
        Files.write(folder.resolve("feed one.gz"), Feeds.gzip(FEED));
        try (FeedStream stream = (FeedStream) source.open(SourceRequest.of("file:" + folder + "/feed%20one.gz"))) {
            assertThat(Feeds.readAll(stream)).hasSize(2);
        }
    }

    @Test
    void open_fileKnownAlready_isNotModifiedUntilItChanges() throws Exception {
        Validators first = opened(Validators.NONE).validators();
        assertThat(first.isEmpty()).isFalse();
        assertThat(opened(first)).isEqualTo(new Opened.NotModified(first));

        write(FEED, NOW.minusSeconds(59));
        assertThat(opened(first)).as("another time").isInstanceOf(FeedStream.class);
        write(new byte[FEED.length - 1], NOW.minusSeconds(60));
        assertThat(opened(first)).as("another size").isInstanceOf(FeedStream.class);
        Path other = Files.write(folder.resolve("other"), FEED);
        Files.setLastModifiedTime(other, FileTime.from(NOW.minusSeconds(60)));
        Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
        assertThat(opened(first)).as("another file of that size and time").isInstanceOf(FeedStream.class);
    }

    @Test
    void open_fileWrittenJustNow_getsNoValidatorsYet() throws Exception {
        write(FEED, NOW.minusSeconds(1));
        assertThat(opened(Validators.NONE).validators()).isEqualTo(Validators.NONE);
    }

    @Test
    void next_fileWrittenToMeanwhile_isRefusedAtTheEnd() throws Exception {
        try (FeedStream stream = (FeedStream) source.open(SourceRequest.of("file:" + file))) {
            assertThat(stream.next()).isNotNull();
            Files.write(file, bytes("\n"), StandardOpenOption.APPEND);
            FeedException failure = catchThrowableOfType(FeedException.class, () -> Feeds.readAll(stream));
            assertThat(failure.problem()).isEqualTo(FeedProblem.CHANGED);
        }
    }

    @Test
    void next_fileReplacedOrRemovedMeanwhile_isReadAsItWas() throws Exception {
        try (FeedStream stream = (FeedStream) source.open(SourceRequest.of("file:" + file))) {
            Files.move(Files.write(folder.resolve("new"), bytes("[]")), file, StandardCopyOption.REPLACE_EXISTING);
            assertThat(Feeds.readAll(stream)).hasSize(2);
        }
        try (FeedStream stream = (FeedStream) source.open(SourceRequest.of("file:" + file))) {
            Files.delete(file);
            assertThat(Feeds.readAll(stream)).isEmpty();
        }
    }

    @Test
    void open_whatIsNoFile_isUnreachable() throws Exception {
        Files.createDirectory(folder.resolve("folder"));
        for (String url : List.of("file:" + folder + "/none", "file:" + folder + "/folder", "file:" + folder)) {
            FeedException failure = catchThrowableOfType(FeedException.class,
                    () -> source.open(SourceRequest.of(url)));
            assertThat(failure.problem()).as(url).isEqualTo(FeedProblem.UNREACHABLE);
        }
        FeedException refusal = catchThrowableOfType(FeedException.class,
                () -> source.open(SourceRequest.of("file:/etc/passwd")));
        assertThat(refusal.problem()).isEqualTo(FeedProblem.NOT_ALLOWED);
    }

    @Test
    void next_interruptedOrTooLate_stops() throws Exception {
        FeedGenerator.writeTo(file, FeedShape.of(2_000, 1));
        try (FeedStream stream = (FeedStream) source.open(SourceRequest.of("file:" + file))) {
            Thread.currentThread().interrupt();
            FeedException failure = catchThrowableOfType(FeedException.class, () -> Feeds.readAll(stream));
            assertThat(failure.problem()).isEqualTo(FeedProblem.STOPPED);
            assertThat(Thread.interrupted()).isTrue();
        }
        SourceRequest late = SourceRequest.of("file:" + file)
                .withTimeouts(SourceTimeouts.DEFAULT.within(Duration.ofNanos(1)));
        FeedException failure = catchThrowableOfType(FeedException.class, () -> {
            try (FeedStream stream = (FeedStream) source.open(late)) {
                Feeds.readAll(stream);
            }
        });
        assertThat(failure.problem()).isEqualTo(FeedProblem.TIMEOUT);
    }

    @Test
    void totals_beforeTheEnd_areNotToBeHad() throws Exception {
        try (FeedStream stream = (FeedStream) source.open(SourceRequest.of("file:" + file))) {
            assertThat(stream.next()).isNotNull();
            assertThat(catchThrowableOfType(IllegalStateException.class, stream::totals)).isNotNull();
            assertThat(stream.policies()).isEqualTo(1);
            assertThat(stream.feedBytes()).isEqualTo(FEED.length / 2 - 1);
        }
    }

    private Opened opened(Validators known) throws Exception {
        Opened opened = source.open(SourceRequest.of("file:" + file).withValidators(known));
        if (opened instanceof FeedStream stream) {
            stream.close();
        }
        return opened;
    }
}
