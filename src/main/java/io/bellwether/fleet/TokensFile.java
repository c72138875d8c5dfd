package io.bellwether.fleet;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.bellwether.policy.Sha256;

/**
 * The last tokens, hashes and no secrets, in a file that the processes of a host share, readable by their user alone; so
 * that one can start and let servers in while the database is away. Ends with a hash of itself. Not thread safe.
 */
final class TokensFile {
    private static final Logger log = LoggerFactory.getLogger(TokensFile.class);
    private static final int FORMAT = 0x746f6b02;
    private static final long NONE = Long.MIN_VALUE;

    /** Several processes of a host write it; in one JVM their locks on files would not hold each other off. */
    private static final ReentrantLock WRITING = new ReentrantLock();

    private final Path path;

    /** All tokens that were not revoked, as of a moment of the database. */
    record State(UUID epoch, long tokensVersion, List<Tokens.Entry> entries) {}

    TokensFile(Path dataDir) {
        this.path = dataDir.resolve("tokens");
    }

    /** What was kept last; nothing when there is nothing that can be read. */
    List<Tokens.Entry> read() {
        List<Tokens.Entry> entries = new ArrayList<>();
        try {
            byte[] all = Files.readAllBytes(path);
            int length = Math.max(0, all.length - Sha256.LENGTH);
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(all, 0, length));
            if (in.readInt() != FORMAT || !Sha256.of(Arrays.copyOf(all, length))
                    .equals(Sha256.wrap(Arrays.copyOfRange(all, length, all.length)))) {
                return List.of();
            }
            in.skipNBytes(3 * Long.BYTES);
            for (int left = in.readInt(); left > 0; left--) {
                String id = in.readUTF();
                String server = in.readUTF();
                List<String> sets = new ArrayList<>();
                for (int patterns = in.readUnsignedShort(); patterns > 0; patterns--) {
                    sets.add(in.readUTF());
                }
                Instant created = Instant.EPOCH.plus(in.readLong(), ChronoUnit.MICROS);
                long expires = in.readLong();
                Grant grant = new Grant(id, server, sets, created,
                        expires == NONE ? null : Instant.EPOCH.plus(expires, ChronoUnit.MICROS), null);
                entries.add(new Tokens.Entry(grant, Sha256.wrap(in.readNBytes(Sha256.LENGTH))));
            }
            return entries;
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException | RuntimeException e) {
            log.warn("the last tokens in {} cannot be read and are ignored: {}", path, e.toString());
            return List.of();
        }
    }

    /** Keeps these tokens, unless another process kept later ones of the same epoch: one revoked must not come back. */
    void write(State state) throws IOException {
        Path folder = Files.createDirectories(path.toAbsolutePath().getParent());
        WRITING.lock();
        try (FileChannel channel = FileChannel.open(folder.resolve("tokens.lock"), StandardOpenOption.CREATE,
                StandardOpenOption.WRITE)) {
            // Closing the channel gives the lock up.
            FileLock lock = channel.lock();
            if (lock.isValid() && !isOlderThanKept(state)) {
                replace(folder, state);
            }
        } finally {
            WRITING.unlock();
        }
    }

    private boolean isOlderThanKept(State state) {
        try (DataInputStream in = new DataInputStream(Files.newInputStream(path))) {
            return in.readInt() == FORMAT && new UUID(in.readLong(), in.readLong()).equals(state.epoch())
                    && in.readLong() > state.tokensVersion();
        } catch (IOException e) {
            return false;
        }
    }

    private void replace(Path folder, State state) throws IOException {
        Path temporary = Files.createTempFile(folder, "tokens-", ".tmp", readableByUsAlone());
        try {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(all);
            out.writeInt(FORMAT);
            out.writeLong(state.epoch().getMostSignificantBits());
            out.writeLong(state.epoch().getLeastSignificantBits());
            out.writeLong(state.tokensVersion());
            out.writeInt(state.entries().size());
            for (Tokens.Entry entry : state.entries()) {
                write(entry, out);
            }
            all.writeBytes(Sha256.of(all.toByteArray()).bytes());
            Files.write(temporary, all.toByteArray());
            Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    private static void write(Tokens.Entry entry, DataOutputStream out) throws IOException {
        Grant grant = entry.grant();
        out.writeUTF(grant.id());
        out.writeUTF(grant.server());
        out.writeShort(grant.sets().size());
        for (String set : grant.sets()) {
            out.writeUTF(set);
        }
        out.writeLong(micros(grant.createdAt()));
        out.writeLong(micros(grant.expiresAt()));
        out.write(entry.secretSha256().bytes());
    }

    private static long micros(@Nullable Instant instant) {
        return instant == null ? NONE : ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }

    private static FileAttribute<?>[] readableByUsAlone() {
        return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[]{
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))}
                : new FileAttribute<?>[0];
    }
}
