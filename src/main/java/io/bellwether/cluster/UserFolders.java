package io.bellwether.cluster;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;

/** Where a user's files belong by the XDG convention: state that is kept, and caches that may be thrown away. */
public final class UserFolders {
    private UserFolders() {}

    /**
     * The default folder of {@code bellwether up}: {@code $XDG_STATE_HOME/bellwether}, usually
     * {@code ~/.local/state/bellwether}.
     *
     * @param environment the process's environment
     * @return an absolute path; not created
     */
    public static Path state(Map<String, String> environment) {
        return folder(environment, "XDG_STATE_HOME", ".local/state");
    }

    /** Where unpacked binaries are kept for all clusters of the user; {@code fallback} when the user's own cannot be written. */
    static Path cache(Map<String, String> environment, Path fallback) throws IOException {
        Path cache = folder(environment, "XDG_CACHE_HOME", ".cache");
        try {
            Files.createDirectories(cache);
            if (Files.isWritable(cache)) {
                return cache;
            }
        } catch (IOException e) {
            // no home to write to, as service accounts have it: the cluster's own folder serves
        }
        return Files.createDirectories(fallback);
    }

    private static Path folder(Map<String, String> environment, String variable, String under) {
        String set = environment.get(variable);
        Path base = set != null && set.startsWith("/") ? Path.of(set) : home(environment).resolve(under);
        return base.resolve("bellwether").toAbsolutePath().normalize();
    }

    /** HOME as every other program sees it; Java's own idea comes from the user database. */
    private static Path home(Map<String, String> environment) {
        String home = environment.get("HOME");
        return Path.of(home != null && home.startsWith("/") ? home : System.getProperty("user.home"));
    }

    static boolean isRoot() throws IOException {
        return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    }

    /** What a file system's error says, without the class name. */
    static String reason(Exception e) {
        return switch (e) {
            case AccessDeniedException _ -> "permission denied";
            case FileSystemException f when f.getReason() != null -> f.getReason();
            case NoSuchFileException _ -> "no such file or directory";
            case FileAlreadyExistsException _ -> "a file of that name is there";
            case FileSystemException f -> f.getClass().getSimpleName();
            default -> e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        };
    }
}
