package io.bellwether.http;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.lease.JobControl;
import io.bellwether.lease.JobQueries;
import io.bellwether.lease.RunView;
import io.bellwether.policy.SetName;

/** What the jobs are, what their runs came to, and steering them. */
public final class AdminJobRoutes implements RouteModule {
    private static final int DEFAULT_PAGE = 100;

    private final JobQueries queries;
    private final JobControl control;
    private final InstantSource clock;

    /**
     * Routes to these operations.
     *
     * @param clock the database's, which tells which end of a pause lies in the past
     */
    public AdminJobRoutes(JobQueries queries, JobControl control, InstantSource clock) {
        this.queries = queries;
        this.control = control;
        this.clock = clock;
    }

    @Override
    public void register(Routes routes) {
        routes.get("/v1/admin/jobs", Access.ADMIN, this::list);
        routes.get("/v1/admin/jobs/{job}", Access.ADMIN, exchange -> job(exchange, name(exchange)));
        routes.post("/v1/admin/jobs/{job}/pause", Access.ADMIN, this::pause);
        routes.post("/v1/admin/jobs/{job}/resume", Access.ADMIN, this::resume);
        routes.get("/v1/admin/jobs/{job}/runs", Access.ADMIN, this::runs);
        routes.post("/v1/admin/jobs/{job}/runs", Access.ADMIN, this::runNow);
        routes.get("/v1/admin/jobs/{job}/runs/{id}", Access.ADMIN, this::run);
    }

    private void list(Exchange exchange) throws IOException, SQLException {
        ObjectNode json = Json.object();
        ArrayNode all = json.putArray("jobs");
        queries.jobs().forEach(job -> all.add(AdminJobJson.job(job)));
        exchange.set("Cache-Control", "no-store");
        exchange.json(200, json);
    }

    private void job(Exchange exchange, String name) throws IOException, SQLException {
        ObjectNode json = AdminJobJson.job(queries.job(name));
        exchange.set("Cache-Control", "no-store");
        exchange.json(200, json);
    }

    private void pause(Exchange exchange) throws IOException, SQLException {
        String job = name(exchange);
        RequestMembers in = new RequestMembers(exchange.bodyOrEmpty(), "until", "reason");
        Instant until = in.instant("until");
        String reason = in.text("reason");
        in.done();
        if (until != null && !until.isAfter(clock.instant())) {
            throw new Fault(FaultKind.INVALID_REQUEST, "until must lie in the future, not at " + until);
        }
        control.pause(job, until, reason);
        job(exchange, job);
    }

    private void resume(Exchange exchange) throws IOException, SQLException {
        String job = name(exchange);
        new RequestMembers(exchange.bodyOrEmpty()).done();
        control.resume(job);
        job(exchange, job);
    }

    private void runs(Exchange exchange) throws IOException, SQLException {
        String job = name(exchange);
        int limit = (int) exchange.queryNumber("limit", DEFAULT_PAGE, 1, JobQueries.MAX_PAGE);
        String before = exchange.query("before");
        Long id = before == null || before.isEmpty() ? null : exchange.queryNumber("before", 0, 0, Long.MAX_VALUE);
        ObjectNode json = Json.object();
        ArrayNode all = json.putArray("runs");
        queries.runs(job, limit, id).forEach(run -> all.add(AdminJobJson.run(run)));
        exchange.set("Cache-Control", "no-store");
        exchange.json(200, json);
    }

    private void runNow(Exchange exchange) throws IOException, SQLException {
        String job = name(exchange);
        String key = idempotencyKey(exchange);
        RequestMembers in = new RequestMembers(exchange.bodyOrEmpty(), "reason");
        String reason = in.text("reason");
        in.done();
        RunView run = control.enqueue(job, key, null, reason);
        exchange.set("Cache-Control", "no-store");
        exchange.set("Location", "/v1/admin/jobs/" + job + "/runs/" + run.id());
        exchange.json(202, AdminJobJson.run(run));
    }

    private void run(Exchange exchange) throws IOException, SQLException {
        String job = name(exchange);
        RunView run = queries.run(exchange.pathNumber("id")).filter(found -> found.job().equals(job))
                .orElseThrow(() -> new Fault(FaultKind.NOT_FOUND, "job '" + job + "' has no run of this id"));
        exchange.set("Cache-Control", "no-store");
        exchange.json(200, AdminJobJson.run(run));
    }

    static @Nullable String idempotencyKey(Exchange exchange) {
        String key = exchange.header("Idempotency-Key");
        if (key != null && !key.matches("[\\x21-\\x7e]{1,200}")) {
            throw new Fault(FaultKind.INVALID_REQUEST,
                    "Idempotency-Key must be 1 to 200 printable ASCII characters without spaces");
        }
        return key;
    }

    private static String name(Exchange exchange) {
        String name = exchange.path("job");
        if (!SetName.isValid(name)) {
            throw new Fault(FaultKind.NOT_FOUND, "there is no job of this name; a name is " + SetName.rule());
        }
        return name;
    }
}
