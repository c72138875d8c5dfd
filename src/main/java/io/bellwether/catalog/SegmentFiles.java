package io.bellwether.catalog;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.bellwether.policy.Sha256;

/** The files of a content-addressed folder: {@code ab/<sha256>}, whole or not there. Thread safe. */
final class SegmentFiles {
    private static final String TEMPORARY = ".tmp";
    private static final Duration TEMPORARY_LIFE = Duration.ofMinutes(10);
    private static final Set<StandardOpenOption> NEW = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY = PosixFilePermissions
            .asFileAttribute(Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE));

    private final Path folder;
    /** How temporary files of this object begin, and of no other one: a count tells them apart. */
    private final String own = "segment-" + UUID.randomUUID() + "-";
    private final AtomicLong written = new AtomicLong();

    SegmentFiles(Path folder) throws IOException {
        this.folder = Files.createDirectories(folder);
    }

    /** One file. */
    record Kept(Sha256 sha256, long bytes, FileTime lastUsed) {}

    /** Opens the file, or null when there is none of that name and length. */
    @Nullable
    FileChannel open(Sha256 sha256, long bytes) throws IOException {
        try {
            FileChannel file = FileChannel.open(path(sha256), StandardOpenOption.READ);
            if (file.size() == bytes) {
                return file;
            }
            file.close();
            return null;
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Whether the file's content has the hash that is its name. */
    boolean isSound(Sha256 sha256) throws IOException {
        return Sha256.of(Files.readAllBytes(path(sha256))).equals(sha256);
    }

    boolean exists(Sha256 sha256, long bytes) {
        try {
            return Files.size(path(sha256)) == bytes;
        } catch (IOException e) {
            return false;
        }
    }

    /** Writes a file under a temporary name and then gives it its own. */
    void write(Sha256 sha256, byte[] content) throws IOException {
        Path target = path(sha256);
        Path temporary = subfolder(sha256).resolve(own + written.incrementAndGet() + TEMPORARY);
        boolean moved = false;
        try {
            writeNew(temporary, content);
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            moved = true;
        } finally {
            if (!moved) {
                Files.deleteIfExists(temporary);
            }
        }
    }

    private static void writeNew(Path file, byte[] content) throws IOException {
        try (WritableByteChannel channel = openNew(file)) {
            ByteBuffer left = ByteBuffer.wrap(content);
            while (left.hasRemaining()) {
                channel.write(left);
            }
        }
    }

    private static WritableByteChannel openNew(Path file) throws IOException {
        try {
            return Files.newByteChannel(file, NEW, OWNER_ONLY);
        } catch (NoSuchFileException e) {
            Files.createDirectories(Objects.requireNonNull(file.getParent()));
            return Files.newByteChannel(file, NEW, OWNER_ONLY);
        }
    }

    /** An empty file that nobody else can open and that is gone when it is closed, or its process is. */
    FileChannel scratch() throws IOException {
        Path temporary = Files.createTempFile(Files.createDirectories(folder.resolve("scratch")), "scratch-",
                TEMPORARY);
        try {
            return FileChannel.open(temporary, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } finally {
            Files.delete(temporary);
        }
    }

    void touch(Sha256 sha256, Instant now) throws IOException {
        Files.setLastModifiedTime(path(sha256), FileTime.from(now));
    }

    void delete(Sha256 sha256) throws IOException {
        Files.deleteIfExists(path(sha256));
    }

    /** All files, in no order. Temporary ones that were left behind are deleted. */
    List<Kept> list(Instant now) throws IOException {
        List<Kept> all = new ArrayList<>();
        try (Stream<Path> folders = Files.list(folder)) {
            for (Path sub : folders.filter(Files::isDirectory).toList()) {
                try (Stream<Path> files = Files.list(sub)) {
                    for (Path file : files.toList()) {
                        add(file, now, all);
                    }
                }
            }
        }
        return all;
    }

    private static void add(Path file, Instant now, List<Kept> all) throws IOException {
        String name = file.getFileName().toString();
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            if (name.endsWith(TEMPORARY)) {
                if (attributes.lastModifiedTime().toInstant().isBefore(now.minus(TEMPORARY_LIFE))) {
                    Files.deleteIfExists(file);
                }
            } else if (name.length() == 2 * Sha256.LENGTH) {
                all.add(new Kept(Sha256.parse(name), attributes.size(), attributes.lastModifiedTime()));
            }
        } catch (NoSuchFileException e) {
            // Another process of this host deleted it between the listing and now.
            return;
        }
    }

    private Path path(Sha256 sha256) {
        return subfolder(sha256).resolve(sha256.hex());
    }

    private Path subfolder(Sha256 sha256) {
        return folder.resolve(sha256.hex().substring(0, 2));
    }
}
