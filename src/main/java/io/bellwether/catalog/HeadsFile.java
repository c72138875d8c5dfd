package io.bellwether.catalog;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.bellwether.policy.SegmentRef;
import io.bellwether.policy.Sha256;

/**
 * The last heads, kept in a file that the processes of a host share, so that one can start and serve while the database
 * is away. Ends with a hash of itself; a file that does not is as good as none. Not thread safe.
 */
public final class HeadsFile {
    private static final Logger log = LoggerFactory.getLogger(HeadsFile.class);
    private static final long FORMAT = 0x42656c6c_00000002L;

    /** That of versions before the contents of old revisions were bounded; begins alike, and is otherwise left aside. */
    private static final long FORMER = 0x42656c6c_00000001L;

    private final Path path;

    /** A file in that folder; the folder is created when needed. */
    public HeadsFile(Path dataDir) {
        this.path = dataDir.resolve("heads");
    }

    /** What was kept last, or null when there is nothing that can be read. */
    @Nullable
    Heads read() {
        MessageDigest digest = Sha256.newDigest();
        try (DataInputStream in = new DataInputStream(
                new DigestInputStream(new BufferedInputStream(Files.newInputStream(path)), digest))) {
            if (in.readLong() != FORMAT) {
                return null;
            }
            Heads heads = new Heads(new UUID(in.readLong(), in.readLong()), in.readLong(), in.readLong(), sets(in));
            Sha256 computed = Sha256.wrap(digest.digest());
            return computed.equals(digest(in)) ? heads : null;
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException | RuntimeException e) {
            log.warn("the last heads in {} cannot be read and are ignored: {}", path, e.toString());
            return null;
        }
    }

    /** Keeps these heads, unless another process kept later ones of the same epoch. */
    void write(Heads heads) throws IOException {
        if (isOlderThanKept(heads)) {
            return;
        }
        Files.createDirectories(path.toAbsolutePath().getParent());
        Path temporary = Files.createTempFile(path.toAbsolutePath().getParent(), "heads-", ".tmp");
        try {
            MessageDigest digest = Sha256.newDigest();
            try (OutputStream file = Files.newOutputStream(temporary);
                    DataOutputStream out = new DataOutputStream(
                            new BufferedOutputStream(new DigestOutputStream(file, digest)))) {
                write(heads, out);
                out.flush();
                file.write(digest.digest());
            }
            Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    private boolean isOlderThanKept(Heads heads) {
        return versionIn(heads.epoch()) > heads.version();
    }

    /** The version that is kept, if it is one of that epoch; otherwise 0. */
    long versionIn(UUID epoch) {
        try (DataInputStream in = new DataInputStream(Files.newInputStream(path))) {
            long format = in.readLong();
            boolean same = (format == FORMAT || format == FORMER)
                    && new UUID(in.readLong(), in.readLong()).equals(epoch);
            return same ? in.readLong() : 0;
        } catch (IOException e) {
            return 0;
        }
    }

    private static void write(Heads heads, DataOutputStream out) throws IOException {
        out.writeLong(FORMAT);
        out.writeLong(heads.epoch().getMostSignificantBits());
        out.writeLong(heads.epoch().getLeastSignificantBits());
        out.writeLong(heads.version());
        out.writeLong(heads.tokensVersion());
        out.writeInt(heads.byName().size());
        for (SetState set : heads.sets()) {
            out.writeLong(set.setId());
            out.writeUTF(set.name());
            out.writeLong(set.version());
            out.writeLong(set.contentsFrom());
            out.writeInt(set.revisions().size());
            for (RevisionInfo r : set.revisions()) {
                out.writeLong(r.revision());
                out.writeLong(r.policies());
                out.writeLong(r.bytes());
                out.writeLong(r.rawBytes());
                out.write(r.contentSha256().bytes());
                out.writeLong(r.upserts());
                out.writeLong(r.deletes());
                out.writeBoolean(r.hasDelta());
                out.writeLong(ChronoUnit.MICROS.between(Instant.EPOCH, r.publishedAt()));
                out.writeUTF(r.process());
            }
            List<ManifestEntry> entries = set.entries();
            out.writeInt(entries.size());
            for (ManifestEntry entry : entries) {
                out.writeShort(entry.segment().firstKey().length);
                out.write(entry.segment().firstKey());
                out.write(entry.segment().sha256().bytes());
                out.write(entry.segment().rawSha256().bytes());
                out.writeLong(entry.segment().bytes());
                out.writeLong(entry.segment().rawBytes());
                out.writeInt(entry.segment().policies());
                out.writeLong(entry.addedIn());
                out.writeLong(entry.removedIn());
            }
            out.writeInt(set.deltas().size());
            for (Map.Entry<Long, List<DeltaSegment>> delta : new TreeMap<>(set.deltas()).entrySet()) {
                out.writeLong(delta.getKey());
                out.writeInt(delta.getValue().size());
                for (DeltaSegment segment : delta.getValue()) {
                    out.write(segment.sha256().bytes());
                    out.write(segment.rawSha256().bytes());
                    out.writeLong(segment.bytes());
                    out.writeLong(segment.rawBytes());
                    out.writeInt(segment.changes());
                }
            }
        }
    }

    private static Map<String, SetState> sets(DataInputStream in) throws IOException {
        Map<String, SetState> sets = new HashMap<>();
        int count = in.readInt();
        for (int i = 0; i < count; i++) {
            SetState set = set(in);
            sets.put(set.name(), set);
        }
        return sets;
    }

    private static SetState set(DataInputStream in) throws IOException {
        long setId = in.readLong();
        String name = in.readUTF();
        long version = in.readLong();
        long contentsFrom = in.readLong();
        TreeMap<Long, RevisionInfo> revisions = new TreeMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            RevisionInfo revision = new RevisionInfo(in.readLong(), in.readLong(), in.readLong(), in.readLong(),
                    digest(in), in.readLong(), in.readLong(), in.readBoolean(),
                    Instant.EPOCH.plus(in.readLong(), ChronoUnit.MICROS), in.readUTF());
            revisions.put(revision.revision(), revision);
        }
        List<ManifestEntry> entries = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            byte[] firstKey = in.readNBytes(in.readUnsignedShort());
            SegmentRef segment = new SegmentRef(firstKey, digest(in), digest(in), in.readLong(), in.readLong(),
                    in.readInt());
            entries.add(new ManifestEntry(segment, in.readLong(), in.readLong()));
        }
        Map<Long, List<DeltaSegment>> deltas = new HashMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            long revision = in.readLong();
            List<DeltaSegment> list = new ArrayList<>();
            for (int segments = in.readInt(); segments > 0; segments--) {
                list.add(new DeltaSegment(digest(in), digest(in), in.readLong(), in.readLong(), in.readInt()));
            }
            deltas.put(revision, list);
        }
        return new SetState(setId, name, version, contentsFrom, revisions, entries, deltas);
    }

    private static Sha256 digest(DataInputStream in) throws IOException {
        return Sha256.wrap(in.readNBytes(Sha256.LENGTH));
    }
}
