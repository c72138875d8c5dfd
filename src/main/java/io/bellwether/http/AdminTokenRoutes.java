package io.bellwether.http;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.bellwether.admin.TokenAdmin;
import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.fleet.Grant;

/** Making, listing and revoking tokens. The answer to making one is the only one that holds a secret. */
public final class AdminTokenRoutes implements RouteModule {
    private final TokenAdmin tokens;

    /** Routes to these operations. */
    public AdminTokenRoutes(TokenAdmin tokens) {
        this.tokens = tokens;
    }

    @Override
    public void register(Routes routes) {
        routes.post("/v1/admin/tokens", Access.ADMIN, this::create);
        routes.get("/v1/admin/tokens", Access.ADMIN, this::list);
        routes.delete("/v1/admin/tokens/{id}", Access.ADMIN, this::revoke);
    }

    private void create(Exchange exchange) throws IOException, SQLException {
        RequestMembers in = new RequestMembers(exchange.body(), "server", "sets", "expiresAt");
        String server = in.requiredText("server");
        List<String> sets = in.requiredTexts("sets");
        Instant expiresAt = in.instant("expiresAt");
        in.done();
        TokenAdmin.Issued issued = tokens.create(server, sets, expiresAt);
        exchange.set("Cache-Control", "no-store");
        exchange.json(201, json(issued.grant()).put("token", issued.token().text()));
    }

    private void list(Exchange exchange) throws IOException, SQLException {
        ObjectNode json = Json.object();
        ArrayNode all = json.putArray("tokens");
        tokens.list().forEach(grant -> all.add(json(grant)));
        exchange.set("Cache-Control", "no-store");
        exchange.json(200, json);
    }

    private void revoke(Exchange exchange) throws SQLException {
        String id = exchange.path("id");
        if (!id.matches("[0-9a-f]{1,64}")) {
            throw noSuchToken();
        }
        if (!tokens.revoke(id)) {
            throw noSuchToken();
        }
        exchange.empty(204);
    }

    private static Fault noSuchToken() {
        return new Fault(FaultKind.NOT_FOUND, "there is no token of this id");
    }

    private static ObjectNode json(Grant grant) {
        ObjectNode json = Json.object().put("id", grant.id()).put("server", grant.server());
        ArrayNode sets = json.putArray("sets");
        grant.sets().forEach(sets::add);
        return json.put("createdAt", grant.createdAt().toString())
                .put("expiresAt", AdminJobJson.instant(grant.expiresAt()))
                .put("revokedAt", AdminJobJson.instant(grant.revokedAt()));
    }
}
