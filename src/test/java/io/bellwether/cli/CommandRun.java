package io.bellwether.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * One command, run to its end in this process.
 *
 * @param code its exit code
 * @param bytes what it wrote to standard output
 * @param err what it wrote to standard error
 */
record CommandRun(int code, byte[] bytes, String err) {
    static final Instant NOW = Instant.parse("2026-03-28T12:00:00Z");

    static CommandRun of(Map<String, String> environment, String... args) {
        return with("", environment, args);
    }

    static CommandRun with(String input, Map<String, String> environment, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Terminal terminal = Terminal.of(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)), out, err,
                environment, InstantSource.fixed(NOW));
        int code = CommandTree.create(terminal, settings -> {
            throw new IOException("nothing is started in tests\n\tat some.Class");
        }).execute(args);
        terminal.flush();
        return new CommandRun(code, out.toByteArray(), err.toString(StandardCharsets.UTF_8));
    }

    String out() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    List<String> outLines() {
        return out().lines().toList();
    }

    List<String> errLines() {
        return err.lines().toList();
    }

    JsonNode json() throws IOException {
        return new ObjectMapper().readTree(bytes);
    }
}
