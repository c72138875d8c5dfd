package io.bellwether.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.GZIPInputStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What commands do that ask no server, or get no answer. */
class CommandLineTest {
    private static final Map<String, String> NOTHING = Map.of();

    @TempDir
    private Path dir;

    @ParameterizedTest
    @ValueSource(strings = {"", "serve", "up", "apply", "sets", "jobs", "runs", "run", "pause", "resume", "approve",
            "rollback", "token",
            "token create", "token list", "token revoke", "cron", "cron explain", "feed", "feed generate"})
    void everyCommand_hasHelpAndVersion(String command) {
        String[] words = command.isEmpty() ? new String[0] : command.split(" ", -1);
        CommandRun help = CommandRun.of(NOTHING, with(words, "--help"));
        assertThat(help.code()).isZero();
        assertThat(help.out()).startsWith("Usage: " + ("bellwether " + command).strip());
        CommandRun version = CommandRun.of(NOTHING, with(words, "--version"));
        assertThat(version.code()).isZero();
        assertThat(version.out()).startsWith("bellwether ");
        assertThat(help.err() + version.err()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "nope", "token", "cron", "feed", "apply", "run", "pause", "runs --limit=x",
            "runs --limit=0 --token=t", "token create --server a", "feed generate", "feed generate --policies=0",
            "feed generate --policies=5 --change=2", "cron explain", "cron explain nonsense",
            "cron explain 0,0,30,2,30,2", "run a --timeout=soon", "pause a --until=tomorrow", "sets --nope",
            "sets --token=t --url=localhost:8080", "sets --token=t --url=http://u:p@localhost", "sets"})
    void wrongUse_isOneLineAndExitTwo(String command) {
        String[] words = command.isEmpty() ? new String[0] : command.split(" ", -1);
        CommandRun run = CommandRun.of(NOTHING, words);
        assertThat(run.code()).as(run.err()).isEqualTo(2);
        assertThat(run.errLines()).hasSize(1);
        assertThat(run.err()).startsWith("bellwether").doesNotContain("Exception");
        assertThat(run.out()).isEmpty();
    }

    @Test
    void serve_wrongSettings_saysEachInALineOfItsOwn() {
        CommandRun run = CommandRun.of(Map.of("BELLWETHER_PORT", "x", "BELLWETHER_LEESE", "PT30S"), "serve");
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.errLines()).hasSizeGreaterThan(5)
                .allMatch(line -> line.startsWith("bellwether serve: BELLWETHER_")
                        || line.startsWith("bellwether serve: exactly one of BELLWETHER_"));
        assertThat(run.err()).contains("did you mean BELLWETHER_LEASE?");
    }

    @Test
    void serve_thatCannotStart_saysWhyInOneLine() {
        CommandRun run = CommandRun.of(Map.of("BELLWETHER_DATABASE_URL", "jdbc:postgresql://127.0.0.1:1/x",
                "BELLWETHER_DATABASE_USER", "u", "BELLWETHER_REDIS_URL", "redis://127.0.0.1:1",
                "BELLWETHER_ADMIN_TOKEN",
                "0123456789abcdef", "BELLWETHER_DATA_DIR", dir.toString()), "serve");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.errLines())
                .containsExactly("bellwether serve: cannot start: nothing is started in tests at some.Class");
    }

    @Test
    void token_fromAFile_isRead() throws Exception {
        Path file = Files.writeString(dir.resolve("token"), "abc\n");
        int free;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = socket.getLocalPort();
        }
        Map<String, String> environment = new HashMap<>(Map.of("BELLWETHER_URL", "http://127.0.0.1:" + free));
        environment.put("BELLWETHER_TOKEN_FILE", file.toString());
        assertThat(CommandRun.of(environment, "sets").err()).contains("connection refused");
        environment.put("BELLWETHER_TOKEN_FILE", dir.resolve("none").toString());
        CommandRun missing = CommandRun.of(environment, "sets");
        assertThat(missing.code()).isEqualTo(2);
        assertThat(missing.err()).contains("cannot read");
    }

    @Test
    void nobodyThere_isOneClearLineAndExitOne() throws Exception {
        int free;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = socket.getLocalPort();
        }
        CommandRun run = CommandRun.of(NOTHING, "sets", "--token=t", "--url=http://127.0.0.1:" + free + "/");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.errLines()).containsExactly("bellwether sets: cannot reach http://127.0.0.1:" + free
                + ": connection refused; is it running, and is --url (or BELLWETHER_URL) right?");
        CommandRun nowhere = CommandRun.of(NOTHING, "sets", "--token=t", "--url=http://no-such-host.invalid");
        assertThat(nowhere.code()).isEqualTo(1);
        assertThat(nowhere.errLines()).hasSize(1).first().asString().contains("no such host");
    }

    @Test
    void somethingElseThere_isOneClearLineAndExitOne() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> {
                try (var connection = socket.accept(); OutputStream out = connection.getOutputStream()) {
                    connection.getInputStream().read(new byte[4096]);
                    out.write("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n<ht>"
                            .getBytes(StandardCharsets.US_ASCII));
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            CommandRun run = CommandRun.of(NOTHING, "sets", "--token=t",
                    "--url=http://127.0.0.1:" + socket.getLocalPort());
            assertThat(run.code()).isEqualTo(1);
            assertThat(run.errLines()).hasSize(1).first().asString().contains("not JSON");
        }
    }

    @Test
    void cronExplain_aSchedule_saysItInWordsAndItsNextTicks() {
        // The night in which Berlin goes from 02:00 to 03:00.
        CommandRun run = CommandRun.of(NOTHING, "cron", "explain", "0 30 2 * * *", "--zone", "Europe/Berlin",
                "--count=2");
        assertThat(run.code()).isZero();
        assertThat(run.outLines()).containsExactly("at 02:30:00 (Europe/Berlin)",
                "TICK                  LOCAL TIME", "2026-03-29T01:00:00Z  Sun 2026-03-29 03:00:00 +02:00",
                "2026-03-30T00:30:00Z  Mon 2026-03-30 02:30:00 +02:00");
    }

    @Test
    void cronExplain_asWordsOrJson_isTheSame() throws Exception {
        CommandRun words = CommandRun.of(NOTHING, "cron", "explain", "*/5", "*", "*", "*", "*", "--json");
        assertThat(words.code()).as(words.err()).isZero();
        assertThat(words.json().path("ticks").path(0).asText()).isEqualTo("2026-03-28T12:05:00Z");
        assertThat(words.json().path("ticks")).hasSize(10);
        CommandRun wrong = CommandRun.of(NOTHING, "cron", "explain", "* * * * *", "--zone", "Mars/Base");
        assertThat(wrong.code()).isEqualTo(2);
        assertThat(wrong.err()).contains("Mars/Base");
    }

    @Test
    void feedGenerate_toStandardOutputAndToAFile_givesTheSameLines() throws Exception {
        CommandRun stream = CommandRun.of(NOTHING, "feed", "generate", "--policies", "50", "--seed", "7");
        assertThat(stream.code()).isZero();
        assertThat(stream.outLines()).hasSize(50).allMatch(line -> line.startsWith("{\"key\":\""));
        Path file = dir.resolve("feed.ndjson.gz");
        CommandRun written = CommandRun.of(NOTHING, "feed", "generate", "--policies=50", "--seed=7", "--out",
                file.toString());
        assertThat(written.code()).as(written.err()).isZero();
        try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            assertThat(in.readAllBytes()).isEqualTo(stream.bytes());
        }
        CommandRun changed = CommandRun.of(NOTHING, "feed", "generate", "--policies=50", "--seed=7", "--change=0.1");
        assertThat(changed.bytes()).isNotEqualTo(stream.bytes());
    }

    @Test
    void feedGenerate_whereNothingCanBeWritten_saysSo() {
        CommandRun run = CommandRun.of(NOTHING, "feed", "generate", "--policies=5", "--out",
                dir.resolve("none/feed").toString());
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.errLines()).hasSize(1).first().asString().contains("cannot write");
    }

    @Test
    void feedGenerate_whoseReaderWentAway_endsQuietly() {
        // `feed generate … | head -1` is no failure worth a word.
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Terminal terminal = Terminal.of(new ByteArrayInputStream(new byte[0]), closed, err, NOTHING,
                InstantSource.fixed(CommandRun.NOW));
        int code = CommandTree.create(terminal, settings -> {
            throw new IOException("nothing is started in tests");
        }).execute("feed", "generate", "--policies=1000");
        assertThat(code).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    private static String[] with(String[] words, String more) {
        String[] all = Arrays.copyOf(words, words.length + 1);
        all[words.length] = more;
        return all;
    }
}
