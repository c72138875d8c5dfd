package io.bellwether.cli;

import com.fasterxml.jackson.databind.JsonNode;
import picocli.CommandLine.Command;

/** {@code bellwether sets}. */
@Command(name = "sets", description = "Lists the sets and what they are made from.")
final class SetsCommand extends ApiCommand {
    SetsCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    int run(AdminApi client) throws Exception {
        JsonNode answer = client.get("/v1/admin/sets");
        if (api.json()) {
            ApiOptions.print(terminal, answer);
            return 0;
        }
        Table table = new Table("SET", "REVISION", "SCHEDULE", "ZONE", "ENABLED", "SOURCE");
        for (JsonNode set : answer.path("sets")) {
            JsonNode definition = set.path("definition");
            table.row(Table.cell(set.path("set")), Table.cell(set.path("revision")),
                    Table.cell(definition.path("schedule")), Table.cell(definition.path("zone")),
                    definition.path("enabled").asBoolean(true) ? "yes" : "no",
                    Table.cell(definition.path("source").path("url")));
        }
        table.print(terminal.out());
        return 0;
    }
}
