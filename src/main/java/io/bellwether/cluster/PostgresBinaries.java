package io.bellwether.cluster;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/** PostgreSQL's programs, unpacked from the jar of this machine's kind into the user's cache, once. */
final class PostgresBinaries {
    /** The major version of the binaries in the pom; a data folder belongs to one. */
    static final String MAJOR = "18";

    private PostgresBinaries() {}

    /**
     * Unpacks unless it is there. Safe when several do it at once: each unpacks aside and the first rename wins.
     *
     * @return the folder that holds {@code bin}
     */
    static Path unpack(Path cache) throws IOException, ClusterException {
        byte[] archive = read(archiveName());
        Path home = cache.resolve("postgres-" + MAJOR + "-" + shortHash(archive));
        if (Files.isExecutable(home.resolve("bin/postgres"))) {
            return home;
        }
        Path aside = Files.createTempDirectory(cache, "unpacking-");
        try {
            extract(archive, aside);
            Files.setPosixFilePermissions(aside, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.move(aside, home, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            if (!Files.isExecutable(home.resolve("bin/postgres"))) {
                throw e;
            }
        } finally {
            deleteTree(aside);
        }
        return home;
    }

    private static String archiveName() throws ClusterException {
        String os = System.getProperty("os.name");
        String arch = System.getProperty("os.arch");
        if (os.equals("Linux")) {
            switch (arch) {
                case "amd64", "x86_64" -> {
                    return "/postgres-linux-x86_64.txz";
                }
                case "aarch64" -> {
                    return "/postgres-linux-arm_64.txz";
                }
                default -> {
                    // no binaries, as below
                }
            }
        }
        throw new ClusterException("no PostgreSQL binaries for " + os + " on " + arch
                + ": `up` runs on Linux (amd64, arm64); elsewhere use docker compose");
    }

    private static byte[] read(String name) throws IOException, ClusterException {
        try (InputStream in = PostgresBinaries.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new ClusterException("lib/local is not on the class path: run it as bin/bellwether up");
            }
            return in.readAllBytes();
        }
    }

    private static String shortHash(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes), 0, 4);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void extract(byte[] archive, Path into) throws IOException {
        try (TarArchiveInputStream tar = new TarArchiveInputStream(
                new BufferedInputStream(new XZInputStream(new ByteArrayInputStream(archive)), 1 << 16))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                Path target = into.resolve(entry.getName()).normalize();
                if (!target.startsWith(into)) {
                    throw new IOException("archive names a file outside of itself: " + entry.getName());
                }
                if (entry.isDirectory()) {
                    Files.createDirectories(target);
                } else if (entry.isSymbolicLink()) {
                    Files.createDirectories(into.resolve(target).getParent());
                    Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
                } else {
                    Files.createDirectories(into.resolve(target).getParent());
                    Files.copy(tar, target);
                    boolean program = (entry.getMode() & 0100) != 0;
                    Files.setPosixFilePermissions(target,
                            PosixFilePermissions.fromString(program ? "rwxr-xr-x" : "rw-r--r--"));
                }
            }
        }
    }

    static void deleteTree(Path tree) throws IOException {
        if (!Files.exists(tree)) {
            return;
        }
        List<Path> all;
        try (Stream<Path> walk = Files.walk(tree)) {
            all = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : all) {
            Files.delete(path);
        }
    }

}
