package io.bellwether.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsReaderTest {
    private static final String TOKEN = "an-admin-token-of-some-length";

    @TempDir
    Path dir;

    @Test
    void read_theNeededOnes_givesThemAndTheDefaults() throws Exception {
        Settings settings = SettingsReader.read(needed());
        assertThat(settings.port()).isEqualTo(7001);
        assertThat(settings.bind()).isEqualTo("127.0.0.1");
        assertThat(settings.lease()).isEqualTo(Duration.ofSeconds(30));
        assertThat(settings.clockOffset()).isEqualTo(Duration.ZERO);
        assertThat(settings.sourceAllow()).isEmpty();
        assertThat(settings.database().user()).isEqualTo("bw");
        assertThat(settings.redis().urls()).containsExactly(URI.create("redis://127.0.0.1:6379"));
        assertThat(settings.adminToken().value()).isEqualTo(TOKEN);
    }

    @Test
    void read_all_givesThem() throws Exception {
        Settings settings = SettingsReader.read(needed("BELLWETHER_PORT", "0", "BELLWETHER_BIND", "0.0.0.0",
                "BELLWETHER_LEASE", "PT5S", "BELLWETHER_CLOCK_OFFSET", "PT-7S", "BELLWETHER_SOURCE_ALLOW",
                "*.example, file:/feeds", "BELLWETHER_REDIS_URL", "redis://a:1,rediss://b:2",
                "BELLWETHER_DATABASE_POOL",
                "40"));
        assertThat(settings.port()).isZero();
        assertThat(settings.clockOffset()).isEqualTo(Duration.ofSeconds(-7));
        assertThat(settings.sourceAllow()).containsExactly("*.example", "file:/feeds");
        assertThat(settings.redis().urls()).containsExactly(URI.create("redis://a:1"), URI.create("rediss://b:2"));
        assertThat(settings.database().poolSize()).isEqualTo(40);
    }

    @Test
    void read_nothing_complainsAboutAllThatIsNeededAtOnce() {
        assertThat(complaints(Map.of())).hasSize(5)
                .anyMatch(c -> c.contains("BELLWETHER_DATABASE_URL"))
                .anyMatch(c -> c.contains("BELLWETHER_DATABASE_USER"))
                .anyMatch(c -> c.contains("BELLWETHER_REDIS_URL"))
                .anyMatch(c -> c.contains("BELLWETHER_ADMIN_TOKEN"))
                .anyMatch(c -> c.contains("BELLWETHER_DATA_DIR"));
    }

    @Test
    void read_anUnknownVariable_isRefusedWithTheNearestName() {
        assertThat(complaints(needed("BELLWETHER_LEESE", "PT30S")))
                .containsExactly("BELLWETHER_LEESE is not a setting; did you mean BELLWETHER_LEASE?");
    }

    @Test
    void read_variablesOfTheCommandLine_areIgnored() throws Exception {
        SettingsReader.read(needed("BELLWETHER_JVM_OPTS", "-Xmx1g", "BELLWETHER_URL", "http://x", "BELLWETHER_TOKEN",
                "t", "BELLWETHER_TOKEN_FILE", "/t", "PATH", "/bin"));
    }

    @ParameterizedTest
    @CsvSource({"BELLWETHER_PORT,70000", "BELLWETHER_PORT,-1", "BELLWETHER_PORT,http", "BELLWETHER_LEASE,30",
            "BELLWETHER_LEASE,PT0S", "BELLWETHER_LEASE,PT1H", "BELLWETHER_CLOCK_OFFSET,7s",
            "BELLWETHER_DATABASE_POOL,1", "BELLWETHER_SHUTDOWN_GRACE,PT-1S",
            "BELLWETHER_DATABASE_URL,postgres://localhost/bw",
            "BELLWETHER_DATABASE_URL,jdbc:postgresql://localhost/bw?password=x", "BELLWETHER_REDIS_URL,localhost:6379",
            "BELLWETHER_ADMIN_TOKEN,short", "BELLWETHER_ADMIN_TOKEN,with a space in the token"})
    void read_aWrongValue_isRefusedByItsName(String name, String value) {
        assertThat(complaints(needed(name, value))).singleElement().asString().startsWith(name);
    }

    @Test
    void read_severalWrongValues_namesEach() {
        assertThat(complaints(needed("BELLWETHER_PORT", "x", "BELLWETHER_LEASE", "y", "BELLWETHER_NOPE", "z")))
                .hasSize(3);
    }

    @Test
    void read_aSecretFromAFile_isTheFilesContentWithoutItsLineEnd() throws Exception {
        Path file = Files.writeString(dir.resolve("token"), TOKEN + "-from-file\n");
        Map<String, String> environment = needed("BELLWETHER_ADMIN_TOKEN_FILE", file.toString());
        environment.remove("BELLWETHER_ADMIN_TOKEN");
        assertThat(SettingsReader.read(environment).adminToken().value()).isEqualTo(TOKEN + "-from-file");
    }

    @Test
    void read_aSecretTwiceOrFromAMissingFile_isRefused() {
        assertThat(complaints(needed("BELLWETHER_ADMIN_TOKEN_FILE", dir.resolve("none").toString())))
                .anyMatch(c -> c.contains("only one of")).anyMatch(c -> c.contains("cannot read"));
    }

    @Test
    void toString_ofTheSettings_showsNoSecret() throws Exception {
        String shown = SettingsReader.read(needed("BELLWETHER_DATABASE_PASSWORD", "hush-database",
                "BELLWETHER_REDIS_URL", "redis://:hush-redis@localhost:6379")).toString();
        assertThat(shown).doesNotContain(TOKEN).doesNotContain("hush");
    }

    @Test
    void complaint_aboutAnAddressWithAPassword_doesNotQuoteIt() {
        assertThat(complaints(needed("BELLWETHER_REDIS_URL", "redis//:hush@host"))).singleElement().asString()
                .doesNotContain("hush");
    }

    private static List<String> complaints(Map<String, String> environment) {
        SettingsException refused = catchThrowableOfType(SettingsException.class,
                () -> SettingsReader.read(environment));
        assertThat(refused).isNotNull();
        return refused.complaints();
    }

    private static Map<String, String> needed(String... more) {
        Map<String, String> environment = new HashMap<>(Map.of("BELLWETHER_DATABASE_URL",
                "jdbc:postgresql://127.0.0.1/bw", "BELLWETHER_DATABASE_USER", "bw", "BELLWETHER_REDIS_URL",
                "redis://127.0.0.1:6379", "BELLWETHER_ADMIN_TOKEN", TOKEN, "BELLWETHER_DATA_DIR",
                System.getProperty("java.io.tmpdir")));
        for (int i = 0; i < more.length; i += 2) {
            environment.put(more[i], more[i + 1]);
        }
        return environment;
    }

    // Both passed as settings once, and the process ended seconds later with a message about something else.
    @Test
    void read_addressAndFolderThatCannotBe_areRefusedByName() {
        assertThat(complaints(needed("BELLWETHER_BIND", "999.1.1.1", "BELLWETHER_DATA_DIR", "/proc/nope"))).hasSize(2)
                .anyMatch(c -> c.startsWith("BELLWETHER_BIND")).anyMatch(c -> c.startsWith("BELLWETHER_DATA_DIR"));
    }
}
