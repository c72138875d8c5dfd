package io.bellwether.refresh;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.InstantSource;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.bellwether.policy.Sha256;

/**
 * What sets held when this host last refreshed them, a file each, shared by the processes of the host: reading it costs a
 * twentieth of asking the database for the same, which would have to read all bodies. Only a saving: without a file, or
 * with one that is behind, the database is asked. Thread safe.
 */
public final class IndexFiles {
    private static final Logger log = LoggerFactory.getLogger(IndexFiles.class);
    private static final Duration KEPT = Duration.ofDays(7);

    private final Path folder;
    private final InstantSource clock;

    /**
     * Files in a folder of that one, made when needed.
     *
     * @param clock tells how old a file is
     */
    public IndexFiles(Path dataDir, InstantSource clock) {
        this.folder = dataDir.resolve("index");
        this.clock = clock;
    }

    /** What the head of a set holds, or null if the file does not tell. To be closed. */
    @Nullable
    IndexFile open(SetState set) {
        Sha256 content = set.contentSha256();
        if (content == null) {
            return null;
        }
        try {
            return IndexFile.open(path(set), content, set.policies());
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            log.warn("{}: the index of this host cannot be read: {}", set.name(), e.toString());
            return null;
        }
    }

    /**
     * Begins to write what the set will hold.
     *
     * @param base what was read of the head, or null
     */
    IndexUpdate update(SetState set, @Nullable IndexFile base) {
        if (base == null) {
            tidy();
        }
        return new IndexUpdate(folder, path(set), set, base);
    }

    /** Removes files of sets that were not refreshed here for long. */
    private void tidy() {
        FileTime oldest = FileTime.from(clock.instant().minus(KEPT));
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                if (Files.getLastModifiedTime(file).compareTo(oldest) < 0) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (NoSuchFileException e) {
            log.debug("there is no index yet");
        } catch (IOException | DirectoryIteratorException e) {
            log.debug("old indexes stay", e);
        }
    }

    private Path path(SetState set) {
        return folder.resolve(set.name());
    }
}
