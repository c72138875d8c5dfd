package io.bellwether.http;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.bellwether.admin.SetRuns;
import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.lease.RunView;
import io.bellwether.policy.Sha256;

/** What guards refused, letting it through, and rolling back. */
public final class AdminContentRoutes implements RouteModule {
    /** How long a rollback is waited for; less than the time after which the front gives a request up. */
    private static final Duration WAIT = Duration.ofSeconds(7);

    private final SetRuns runs;

    /** Routes to these operations. */
    public AdminContentRoutes(SetRuns runs) {
        this.runs = runs;
    }

    @Override
    public void register(Routes routes) {
        routes.get("/v1/admin/sets/{set}/candidates", Access.ADMIN, this::candidates);
        routes.post("/v1/admin/sets/{set}/candidates/{hash}/approve", Access.ADMIN, this::approve);
        routes.post("/v1/admin/sets/{set}/rollback", Access.ADMIN, this::rollback);
    }

    private void candidates(Exchange exchange) throws IOException, SQLException {
        ObjectNode json = Json.object();
        ArrayNode all = json.putArray("candidates");
        runs.candidates(AdminSetRoutes.name(exchange)).forEach(candidate -> all.add(candidate.json()));
        exchange.set("Cache-Control", "no-store");
        exchange.json(200, json);
    }

    private void approve(Exchange exchange) throws IOException, SQLException {
        String set = AdminSetRoutes.name(exchange);
        Sha256 hash;
        try {
            hash = Sha256.parse(exchange.path("hash"));
        } catch (IllegalArgumentException e) {
            throw new Fault(FaultKind.NOT_FOUND, "a candidate is named by its SHA-256, 64 hex digits", e);
        }
        String key = AdminJobRoutes.idempotencyKey(exchange);
        RequestMembers in = new RequestMembers(exchange.bodyOrEmpty(), "reason");
        String reason = in.text("reason");
        in.done();
        queued(exchange, runs.approve(set, hash, key, reason));
    }

    private void rollback(Exchange exchange) throws IOException, SQLException, InterruptedException {
        String set = AdminSetRoutes.name(exchange);
        String key = AdminJobRoutes.idempotencyKey(exchange);
        RequestMembers in = new RequestMembers(exchange.bodyOrEmpty(), "to", "reason");
        long to = in.requiredNumber("to", 1);
        String reason = in.text("reason");
        in.done();
        RunView run = runs.await(runs.rollback(set, to, key, reason), WAIT);
        if (!run.isFinished()) {
            queued(exchange, run);
            return;
        }
        if (run.state().equals("published") || run.state().equals("unchanged")) {
            ObjectNode json = Json.object().put("set", set).put("revision", run.revision()).put("rolledBackTo", to);
            json.set("run", AdminJobJson.run(run));
            exchange.set("Cache-Control", "no-store");
            exchange.json(run.revision() == null ? 200 : 201, json);
            return;
        }
        throw new Fault(FaultKind.CONFLICT,
                "run " + run.id() + " ended as " + run.state() + (run.reason() == null ? "" : ": " + run.reason()));
    }

    private static void queued(Exchange exchange, RunView run) throws IOException {
        exchange.set("Cache-Control", "no-store");
        exchange.set("Location", "/v1/admin/jobs/" + run.job() + "/runs/" + run.id());
        exchange.json(202, AdminJobJson.run(run));
    }
}
