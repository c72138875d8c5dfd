package io.bellwether.cli;

import java.time.Instant;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bellwether token create|list|revoke}. */
final class TokenCommands {
    @Command(name = "token", synopsisSubcommandLabel = "create|list|revoke", description = "The tokens of downstream servers.")
    private static final class Group {}

    private TokenCommands() {}

    static CommandLine create(Terminal terminal) {
        return new CommandLine(new Group()).addSubcommand(new Create(terminal)).addSubcommand(new ListAll(terminal))
                .addSubcommand(new Revoke(terminal));
    }

    @Command(name = "create", description = "Makes a token and prints it, the only time that it is shown.")
    static final class Create extends ApiCommand {
        @Option(names = "--server", required = true, paramLabel = "NAME", description = "the downstream server it is for")
        @SuppressWarnings("NullAway.Init")
        private String server;

        @Option(names = "--set", required = true, arity = "1..*", paramLabel = "PATTERN", description = "a set it opens, or a pattern such as 'geo-*' or '*'; several are allowed")
        @SuppressWarnings("NullAway.Init")
        private List<String> sets;

        @Option(names = "--expires", paramLabel = "INSTANT", description = "from when on it is not valid, such as 2026-12-31T00:00:00Z", converter = PauseCommand.InstantText.class)
        private @Nullable Instant expires;

        Create(Terminal terminal) {
            super(terminal);
        }

        @Override
        int run(AdminApi client) throws Exception {
            ObjectNode body = JsonNodeFactory.instance.objectNode().put("server", server);
            ArrayNode patterns = body.putArray("sets");
            sets.forEach(patterns::add);
            if (expires != null) {
                body.put("expiresAt", expires.toString());
            }
            JsonNode answer = client.post("/v1/admin/tokens", body);
            if (api.json()) {
                ApiOptions.print(terminal, answer);
            } else {
                terminal.out().println(Table.plain(answer.path("token").asText()));
            }
            return 0;
        }
    }

    @Command(name = "list", description = "Lists the tokens, without their secrets.")
    static final class ListAll extends ApiCommand {
        ListAll(Terminal terminal) {
            super(terminal);
        }

        @Override
        int run(AdminApi client) throws Exception {
            JsonNode answer = client.get("/v1/admin/tokens");
            if (api.json()) {
                ApiOptions.print(terminal, answer);
                return 0;
            }
            Table table = new Table("ID", "SERVER", "SETS", "CREATED", "EXPIRES", "REVOKED");
            for (JsonNode token : answer.path("tokens")) {
                List<String> sets = token.path("sets").valueStream().map(Table::cell).toList();
                table.row(Table.cell(token.path("id")), Table.cell(token.path("server")), String.join(" ", sets),
                        Table.cell(token.path("createdAt")), Table.cell(token.path("expiresAt")),
                        Table.cell(token.path("revokedAt")));
            }
            table.print(terminal.out());
            return 0;
        }
    }

    @Command(name = "revoke", description = "Ends a token; every process refuses it within about a second.")
    static final class Revoke extends ApiCommand {
        @Parameters(index = "0", paramLabel = "ID", description = "the id that 'token list' shows")
        @SuppressWarnings("NullAway.Init")
        private String id;

        Revoke(Terminal terminal) {
            super(terminal);
        }

        @Override
        int run(AdminApi client) throws Exception {
            client.delete("/v1/admin/tokens/" + AdminApi.part(id));
            if (api.json()) {
                ApiOptions.print(terminal, JsonNodeFactory.instance.objectNode().put("id", id).put("revoked", true));
            } else {
                terminal.out().println("revoked " + id);
            }
            return 0;
        }
    }
}
