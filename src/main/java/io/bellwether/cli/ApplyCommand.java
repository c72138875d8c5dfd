package io.bellwether.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bellwether apply -f FILE}. */
@Command(name = "apply", description = {"Declares the sets of a YAML file, by name; again changes nothing.",
        "Sets that the file does not name stay as they are. Nothing is sent unless the whole file is in order.",
        "A set that the server refuses is told, and ends it; what was sent before stays."})
final class ApplyCommand extends ApiCommand {
    private static final int MAX_FILE_BYTES = 16 << 20;

    @Option(names = {"-f",
            "--file"}, required = true, paramLabel = "FILE", description = "the file; - is standard input")
    @SuppressWarnings("NullAway.Init")
    private String file;

    ApplyCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    int run(AdminApi client) throws Exception {
        String shown = file.equals("-") ? "standard input" : file;
        List<SetsFile.Entry> entries = SetsFile.read(shown, content());
        ArrayNode results = JsonNodeFactory.instance.arrayNode();
        List<String> refusals = new ArrayList<>();
        int code = 0;
        for (SetsFile.Entry entry : entries) {
            try {
                JsonNode answer = client.put("/v1/admin/sets/" + AdminApi.part(entry.set()), entry.definition());
                results.add(answer);
                if (!api.json()) {
                    terminal.out().println(Table.cell(answer.path("change")) + " " + entry.set());
                }
            } catch (CommandFailure e) {
                // One refused set does not keep the others from being declared; a server that is away does.
                refusals.add(entry.where(shown, e.line()) + ": " + e.line());
                code = e.exitCode();
                if (code != CommandFailure.USAGE) {
                    break;
                }
            }
        }
        if (api.json()) {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            json.set("sets", results);
            ApiOptions.print(terminal, json);
        }
        if (!refusals.isEmpty()) {
            throw new CommandFailure(code, String.join("\n", refusals));
        }
        return 0;
    }

    private byte[] content() throws CommandFailure {
        byte[] content;
        try (InputStream in = file.equals("-") ? terminal.in() : Files.newInputStream(Path.of(file))) {
            content = in.readNBytes(MAX_FILE_BYTES + 1);
        } catch (NoSuchFileException e) {
            throw new CommandFailure(CommandFailure.USAGE, "there is no file " + file, e);
        } catch (IOException | RuntimeException e) {
            throw new CommandFailure(CommandFailure.USAGE,
                    "cannot read " + file + ": " + Table.plain(String.valueOf(e.getMessage())), e);
        }
        if (content.length > MAX_FILE_BYTES) {
            throw new CommandFailure(CommandFailure.USAGE, file + " has more than " + MAX_FILE_BYTES + " bytes");
        }
        return content;
    }
}
