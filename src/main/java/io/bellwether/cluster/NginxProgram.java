package io.bellwether.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Finds an nginx that runs here: the one that was named, one that is installed, or on Debian and Ubuntu the package of the
 * distribution, unpacked into the user's cache. Nothing is installed into the system and no privileges are needed.
 */
final class NginxProgram {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final Duration VERSION_LIMIT = Duration.ofSeconds(10);
    /** Where releases differ: since Debian 12 and Ubuntu 23.04 the first holds the program, before that the second. */
    private static final List<String> PACKAGES = List.of("nginx", "nginx-core");

    private final Path cache;
    private final Consumer<String> say;

    NginxProgram(Path cache, Consumer<String> say) {
        this.cache = cache;
        this.say = say;
    }

    Path find(@Nullable Path named) throws IOException, InterruptedException, ClusterException {
        if (named != null) {
            if (!runs(named)) {
                throw new ClusterException("--nginx " + named + " is no nginx that runs here");
            }
            return named.toAbsolutePath();
        }
        Optional<Path> installed = Executables.onPath("nginx");
        if (installed.isPresent() && runs(installed.get())) {
            return installed.get();
        }
        Optional<Path> unpacked = unpackedBefore();
        return unpacked.isPresent() ? unpacked.get() : fetch();
    }

    private static boolean runs(Path program) throws IOException, InterruptedException {
        return Files.isExecutable(program) && Executables
                .run(VERSION_LIMIT, Path.of("/"), Map.of(), List.of(program.toAbsolutePath().toString(), "-v"))
                .output().startsWith("nginx version:");
    }

    /** Whether it knows {@code -e}, which came with 1.19.5. */
    static boolean hasErrorLogOption(Path program) throws IOException, InterruptedException {
        return Executables.run(VERSION_LIMIT, Path.of("/"), Map.of(), List.of(program.toString(), "-e", "stderr", "-v"))
                .status() == 0;
    }

    private Optional<Path> unpackedBefore() throws IOException, InterruptedException {
        List<Path> candidates;
        try (Stream<Path> folders = Files.list(cache)) {
            candidates = folders.filter(f -> f.getFileName().toString().startsWith("nginx"))
                    .sorted(Comparator.reverseOrder()).map(f -> f.resolve("usr/sbin/nginx")).toList();
        }
        for (Path candidate : candidates) {
            if (runs(candidate)) {
                return Optional.of(candidate);
            }
        }
        return Optional.empty();
    }

    private Path fetch() throws IOException, InterruptedException, ClusterException {
        if (Executables.onPath("apt-get").isEmpty() || Executables.onPath("dpkg-deb").isEmpty()) {
            throw new ClusterException("nginx is not installed: " + howToInstall());
        }
        say.accept("nginx is not installed: fetching the distribution's package into " + cache);
        Path aside = Files.createTempDirectory(cache, "unpacking-");
        try {
            String why = "";
            for (String name : PACKAGES) {
                Executables.Result result = download(aside, name);
                why = result.lastLine();
                Optional<Path> deb = deb(aside, name);
                if (deb.isEmpty()) {
                    continue;
                }
                String folder = deb.get().getFileName().toString().replaceAll("\\.deb$", "");
                Path tree = aside.resolve(folder);
                why = Executables.run(LIMIT, aside, Map.of(),
                        List.of("dpkg-deb", "-x", deb.get().toString(), tree.toString())).lastLine();
                Path program = tree.resolve("usr/sbin/nginx");
                if (!Files.exists(program)) {
                    continue;
                }
                if (!runs(program)) {
                    why = Executables.run(VERSION_LIMIT, aside, Map.of(), List.of(program.toString(), "-v")).lastLine();
                    continue;
                }
                Path kept = cache.resolve(folder);
                PostgresBinaries.deleteTree(kept);
                Files.move(tree, kept, StandardCopyOption.ATOMIC_MOVE);
                return kept.resolve("usr/sbin/nginx");
            }
            throw new ClusterException("nginx is not installed, and its package could not be used (" + why + "): "
                    + howToInstall());
        } finally {
            PostgresBinaries.deleteTree(aside);
        }
    }

    /** With the machine's package lists; where they are empty or too old, with lists of our own. */
    private Executables.Result download(Path aside, String name) throws IOException, InterruptedException {
        Executables.Result result = apt(aside, List.of(), "download", name);
        if (result.status() == 0) {
            return result;
        }
        Path state = aside.resolve("apt");
        Files.createDirectories(state.resolve("lists/partial"));
        Files.createDirectories(state.resolve("cache/archives/partial"));
        List<String> own = List.of("-o", "Dir::State::lists=" + state.resolve("lists"), "-o",
                "Dir::Cache=" + state.resolve("cache"), "-o", "Debug::NoLocking=true");
        Executables.Result lists = apt(aside, own, "update");
        Executables.Result again = apt(aside, own, "download", name);
        return again.status() != 0 && lists.status() != 0 ? lists : again;
    }

    private static Executables.Result apt(Path aside, List<String> options, String... what)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("apt-get", "-q", "-o", "APT::Sandbox::User=root", "-o",
                "Acquire::Retries=1", "-o", "Acquire::http::Timeout=15", "-o", "Acquire::https::Timeout=15"));
        command.addAll(options);
        command.addAll(List.of(what));
        return Executables.run(LIMIT, aside, Map.of("LC_ALL", "C"), command);
    }

    private static Optional<Path> deb(Path folder, String name) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(f -> f.getFileName().toString().startsWith(name + "_")
                    && f.getFileName().toString().endsWith(".deb")).findFirst();
        }
    }

    private static String howToInstall() {
        if (Executables.onPath("apt-get").isPresent()) {
            return "install it: apt-get install nginx";
        }
        for (String manager : List.of("dnf", "zypper", "pacman", "apk", "brew")) {
            if (Executables.onPath(manager).isPresent()) {
                return switch (manager) {
                    case "pacman" -> "install it: pacman -S nginx";
                    case "apk" -> "install it: apk add nginx";
                    default -> "install it: " + manager + " install nginx";
                };
            }
        }
        return "install it, or name one with --nginx PATH";
    }
}
