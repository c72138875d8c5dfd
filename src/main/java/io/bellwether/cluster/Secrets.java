package io.bellwether.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;

/** The cluster's passwords and tokens: made once, kept in files of mode 0600, the same after a restart. */
final class Secrets {
    private static final int BYTES = 20;

    private final Path dir;

    Secrets(Path dir) {
        this.dir = dir;
    }

    /** The secret of that name; made when there is none. Hexadecimal, so it needs no quoting anywhere. */
    String get(String name) throws IOException {
        Optional<String> kept = find(name);
        if (kept.isPresent()) {
            return kept.get();
        }
        byte[] random = new byte[BYTES];
        new SecureRandom().nextBytes(random);
        String secret = HexFormat.of().formatHex(random);
        put(name, secret);
        return secret;
    }

    Optional<String> find(String name) throws IOException {
        Path file = dir.resolve(name);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        String text = Files.readString(file, StandardCharsets.UTF_8).strip();
        return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }

    void put(String name, String secret) throws IOException {
        writePrivate(dir.resolve(name), secret + "\n");
    }

    Path file(String name) {
        return dir.resolve(name);
    }

    /** Replaces a file as a whole; it is never readable by others, not even for a moment. */
    static void writePrivate(Path file, String text) throws IOException {
        Path temporary = file.resolveSibling("." + file.getFileName() + ".new");
        var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        try {
            Files.createFile(temporary, mode);
        } catch (FileAlreadyExistsException e) {
            Files.delete(temporary);
            Files.createFile(temporary, mode);
        }
        Files.writeString(temporary, text, StandardCharsets.UTF_8);
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
