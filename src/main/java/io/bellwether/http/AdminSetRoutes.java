package io.bellwether.http;

import java.io.IOException;
import java.sql.SQLException;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.bellwether.admin.Change;
import io.bellwether.admin.ProcessList;
import io.bellwether.admin.SetAdmin;
import io.bellwether.admin.StoredSet;
import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.policy.SetName;

/** Declaring sets, and which processes there are. */
public final class AdminSetRoutes implements RouteModule {
    private final SetAdmin sets;
    private final ProcessList processes;

    /** Routes to these operations. */
    public AdminSetRoutes(SetAdmin sets, ProcessList processes) {
        this.sets = sets;
        this.processes = processes;
    }

    @Override
    public void register(Routes routes) {
        routes.get("/v1/admin/sets", Access.ADMIN, this::list);
        routes.get("/v1/admin/sets/{set}", Access.ADMIN, this::get);
        routes.put("/v1/admin/sets/{set}", Access.ADMIN, this::put);
        routes.delete("/v1/admin/sets/{set}", Access.ADMIN, this::delete);
        routes.get("/v1/admin/processes", Access.ADMIN, this::processes);
    }

    private void list(Exchange exchange) throws IOException, SQLException {
        ObjectNode json = Json.object();
        ArrayNode all = json.putArray("sets");
        sets.list().forEach(set -> all.add(set.json()));
        exchange.set("Cache-Control", "no-store");
        exchange.json(200, json);
    }

    private void get(Exchange exchange) throws IOException, SQLException {
        String name = name(exchange);
        StoredSet set = sets.get(name).orElseThrow(() -> noSuchSet(name));
        exchange.set("Cache-Control", "no-store");
        exchange.json(200, set.json());
    }

    private void put(Exchange exchange) throws IOException, SQLException {
        String name = exchange.path("set");
        SetAdmin.Put put = sets.put(name, exchange.body());
        exchange.set("Cache-Control", "no-store");
        if (put.change() == Change.CREATED) {
            exchange.set("Location", "/v1/admin/sets/" + name);
        }
        exchange.json(put.change() == Change.CREATED ? 201 : 200, put.set().json().put("change", put.change().text()));
    }

    private void delete(Exchange exchange) throws SQLException {
        String name = name(exchange);
        if (!sets.delete(name)) {
            throw noSuchSet(name);
        }
        exchange.empty(204);
    }

    private void processes(Exchange exchange) throws IOException, SQLException {
        ObjectNode json = Json.object();
        json.putArray("processes").addAll(processes.seenLately());
        exchange.set("Cache-Control", "no-store");
        exchange.json(200, json);
    }

    static String name(Exchange exchange) {
        String name = exchange.path("set");
        if (!SetName.isValid(name)) {
            throw new Fault(FaultKind.NOT_FOUND, "there is no set of this name; a name is " + SetName.rule());
        }
        return name;
    }

    private static Fault noSuchSet(String name) {
        return new Fault(FaultKind.NOT_FOUND, "there is no set '" + name + "'");
    }
}
