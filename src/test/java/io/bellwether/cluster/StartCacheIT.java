package io.bellwether.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartCacheIT {
    private static final Path HOME = Path.of("target/bellwether").toAbsolutePath();
    /** With it, a cache that does not fit this Java and these jars is an error instead of slow. */
    private static final String INSIST = "-XX:AOTMode=on";

    private static Executables.Result serve(Path home, Map<String, String> environment) throws Exception {
        return Executables.run(Duration.ofMinutes(1), home, environment,
                List.of(home.resolve("bin/bellwether").toString(), "serve", "--help"));
    }

    @Test
    void build_leavesACacheThatThisJavaTakes() throws Exception {
        assertThat(HOME.resolve("lib/bellwether.aot")).isNotEmptyFile();
        Executables.Result result = serve(HOME, Map.of("BELLWETHER_JVM_OPTS", INSIST));
        assertThat(result.status()).as(result.output()).isZero();
    }

    @Test
    void jarsAreOthers_theCacheIsLeftAsideWithoutAWord(@TempDir Path dir) throws Exception {
        for (Path file : List.of(Path.of("bin/bellwether"), Path.of("lib/bellwether.aot"))) {
            Files.createDirectories(dir.resolve(file).getParent());
            Files.copy(HOME.resolve(file), dir.resolve(file), StandardCopyOption.COPY_ATTRIBUTES);
        }
        try (var jars = Files.newDirectoryStream(HOME.resolve("lib"), "*.jar")) {
            for (Path jar : jars) {
                // Without its attributes: the time is another, as it is when a jar was built again.
                Files.copy(jar, dir.resolve("lib").resolve(jar.getFileName()));
            }
        }
        assertThat(serve(dir, Map.of("BELLWETHER_JVM_OPTS", INSIST)).status()).isNotZero();
        Executables.Result result = serve(dir, Map.of());
        assertThat(result.status()).isZero();
        assertThat(result.output()).startsWith("Usage: bellwether serve");
    }
}
